import { Container } from "@pulumi/docker";
import { expect, test } from "vitest";
import { recordStack } from "../../testing/recorded-stack.ts";
import type { RunOptions } from "../../testing/recorded-stack.ts";
import { jobProblem, succeeded } from "./service.ts";

const end = { name: "migrate", log: "", urn: "urn:pulumi:local::routeql::docker:index/container:Container::migrate" };

test("accepts a job that exits with 0", () => expect(jobProblem({ ...end, exitCode: 0 })).toBeUndefined());

test.each([1, 137, undefined])("reports a job that exits with %s", (exitCode) => {
  expect(jobProblem({ ...end, exitCode })).toMatch(/^The job migrate failed with exit code (1|137|unknown)\. /);
});

test("reports the end of the log and the command that runs the job again", () => {
  const log = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join("\n");
  const problem = jobProblem({ ...end, exitCode: 3, log: `${log}\n` });
  expect(problem).toContain("The job migrate failed with exit code 3.");
  expect(problem).toMatch(/line 21\n[\s\S]*line 50\n/);
  expect(problem).not.toContain("line 20");
  expect(problem).toContain(`pulumi up --replace '${end.urn}'`);
});

/** The job's output once it is known; undefined if it stays unknown. */
async function handedOn(options: RunOptions): Promise<{ handedOn: unknown; container: Container | undefined }> {
  let container: Container | undefined;
  let result: Promise<unknown> = Promise.resolve();
  await recordStack(() => {
    container = new Container("migrate", { name: "routeql-local-migrate", image: "image" });
    result = (succeeded("migrate", container) as unknown as { promise: () => Promise<unknown> }).promise();
  }, options);
  return { handedOn: await result, container };
}

test("returns the container after a success", async () => {
  const { handedOn: value, container } = await handedOn({ outputs: { migrate: { exitCode: 0 } } });
  expect(value === container).toBe(true);
});

test("returns nothing in a preview", async () => {
  const { handedOn: value } = await handedOn({
    preview: true,
    outputs: { migrate: { exitCode: undefined, containerLogs: undefined } },
  });
  expect(value).toBeUndefined();
});
