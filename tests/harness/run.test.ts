import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const hostAfterImport = (environment: NodeJS.ProcessEnv): string => {
  const program = `await import(${JSON.stringify(join(import.meta.dirname, "run.ts"))}); console.log(process.env.DOCKER_HOST)`;
  return execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: { HOME: "/nowhere", ...environment },
  }).trim();
};

test("leaves the standard engine unnamed, so that a missing one is installed", () =>
  expect(hostAfterImport({})).toBe("undefined"));

test("keeps the engine that DOCKER_HOST names", () =>
  expect(hostAfterImport({ DOCKER_HOST: "tcp://192.0.2.1:2375" })).toBe("tcp://192.0.2.1:2375"));
