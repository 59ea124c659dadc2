import { Container } from "@pulumi/docker";
import { expect, test } from "vitest";
import { recordStack } from "../../testing/recorded-stack.ts";
import type { RunOptions } from "../../testing/recorded-stack.ts";
import { jobProblem, succeeded } from "./job.ts";

const end = { name: "migrate", log: "", urn: "urn:pulumi:local::routeql::docker:index/container:Container::migrate" };

test("a job that exits with 0 has succeeded", () => expect(jobProblem({ ...end, exitCode: 0 })).toBeUndefined());

test.each([1, 137, undefined])("a job that exits with %s has failed", (exitCode) => {
  expect(jobProblem({ ...end, exitCode })).toMatch(/^The job migrate failed with exit code (1|137|unknown)\. /);
});

test("the problem has the end of the log and the command that runs the job again", () => {
  const log = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join("\n");
  const problem = jobProblem({ ...end, exitCode: 3, log: `${log}\n` });
  expect(problem).toContain("The job migrate failed with exit code 3.");
  expect(problem).toMatch(/line 21\n[\s\S]*line 50\n/);
  expect(problem).not.toContain("line 20");
  expect(problem).toContain(`pulumi up --replace '${end.urn}'`);
});

/** What the job's output is once it is known; undefined if it never is. */
async function handedOn(options: RunOptions): Promise<{ handedOn: unknown; container: Container | undefined }> {
  let container: Container | undefined;
  let result: Promise<unknown> = Promise.resolve();
  await recordStack(() => {
    container = new Container("migrate", { name: "routeql-local-migrate", image: "image" });
    result = (succeeded("migrate", container) as unknown as { promise: () => Promise<unknown> }).promise();
  }, options);
  return { handedOn: await result, container };
}

test("after a success the container is handed on", async () => {
  const { handedOn: value, container } = await handedOn({ outputs: { migrate: { exitCode: 0 } } });
  expect(value === container).toBe(true);
});

test("in a preview nothing is known yet, and nothing is handed on", async () => {
  const { handedOn: value } = await handedOn({
    preview: true,
    outputs: { migrate: { exitCode: undefined, containerLogs: undefined } },
  });
  expect(value).toBeUndefined();
});
