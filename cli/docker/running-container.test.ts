import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "@routeql/host/failure";
import Docker from "dockerode";
import { expect, test } from "vitest";
import { optionalContainer, runningContainer } from "./running-container.ts";

interface Daemon extends AsyncDisposable {
  readonly docker: Docker;
  readonly asked: string[];
}

/** A fake daemon that answers every request with these containers. */
async function daemon(containers: readonly object[]): Promise<Daemon> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(decodeURIComponent(request.url ?? ""));
    response.setHeader("content-type", "application/json").end(JSON.stringify(containers));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    docker: new Docker({ host: "127.0.0.1", port, protocol: "http" }),
    asked,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

async function containerRefusal(stack: string, docker: Docker): Promise<Failure> {
  const error: unknown = await runningContainer(stack, "auth-sidecar", docker).catch((reason: unknown) => reason);
  if (error instanceof Failure) return error;
  throw new Error("It was not refused.", { cause: error });
}

test("finds the container by its labels, independent of its name", async () => {
  await using given = await daemon([{ Id: "abc", State: "running" }]);
  expect((await runningContainer("prod", "auth-sidecar", given.docker)).id).toBe("abc");
  for (const label of ["com.routeql.stack=prod", "com.routeql.service=auth-sidecar", "com.routeql.run=service"])
    expect(given.asked[0]).toContain(label);
});

test("reports a stack that is not running, with the command that starts it", async () => {
  await using given = await daemon([]);
  expect(await containerRefusal("prod", given.docker)).toMatchObject({
    message: "The stack prod is not up",
    remedy: "run `npm run up -- --stack prod`.",
  });
  expect(await containerRefusal("local", given.docker)).toMatchObject({ remedy: "run `npm run up`." });
});

test("reports a stopped sidecar", async () => {
  await using given = await daemon([{ Id: "abc", State: "exited" }]);
  expect((await containerRefusal("local", given.docker)).message).toBe(
    "The service auth-sidecar of the stack local does not run (it is exited)",
  );
});

test("a service that not every stack has counts only while its container runs", async () => {
  await using running = await daemon([{ Id: "abc", State: "running" }]);
  expect((await optionalContainer("prod", "prometheus", running.docker))?.id).toBe("abc");
  await using stopped = await daemon([{ Id: "abc", State: "exited" }]);
  expect(await optionalContainer("prod", "prometheus", stopped.docker)).toBeUndefined();
  await using absent = await daemon([]);
  expect(await optionalContainer("prod", "prometheus", absent.docker)).toBeUndefined();
});
