import { Container } from "@pulumi/docker";
import { expect, test } from "vitest";
import { recordStack } from "../../testing/recorded-stack.ts";
import type { RunOptions } from "../../testing/recorded-stack.ts";
import { JobError, requireSuccess, succeeded } from "./job.ts";

const end = { name: "migrate", log: "", urn: "urn:pulumi:local::routeql::docker:index/container:Container::migrate" };

test("a job that exits with 0 has succeeded", () => expect(() => requireSuccess({ ...end, exitCode: 0 })).not.toThrow());

test.each([1, 137, undefined])("a job that exits with %s has failed", (exitCode) => {
  expect(() => requireSuccess({ ...end, exitCode })).toThrow(JobError);
});

test("the error has the end of the log and the command that runs the job again", () => {
  const log = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join("\n");
  const { message } = new JobError({ ...end, exitCode: 3, log: `${log}\n` });
  expect(message).toContain("The job migrate failed with exit code 3.");
  expect(message).toMatch(/line 21\n[\s\S]*line 50\n/);
  expect(message).not.toContain("line 20");
  expect(message).toContain(`pulumi up --replace '${end.urn}'`);
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
  const { handedOn: value } = await handedOn({ preview: true, outputs: { migrate: { exitCode: undefined, containerLogs: undefined } } });
  expect(value).toBeUndefined();
});
