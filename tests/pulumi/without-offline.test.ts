import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { newStackName } from "../harness/run/stack-name.ts";
import { checkOut } from "./support/checkout.ts";

/** Acts as the official CLI: records each call, installs empty plugins, and fails where the real one would start its engine. */
const officialPulumi = `#!/bin/sh
echo "$@" >>"$RECORD"
case "$1" in
  version) echo v3.270.0 ;;
  plugin)
    mkdir -p "$PULUMI_HOME/plugins/resource-$4-v$5"
    echo plugin >"$PULUMI_HOME/plugins/resource-$4-v$5/pulumi-resource-$4" ;;
  preview) echo "error: the engine starts here" >&2; exit 1 ;;
esac
`;

/** A checkout without offline/, and how its commands start, with a private cache. */
async function withoutOffline() {
  const checkout = await checkOut({ NODE_BASE: "routeql/node:24.21.0" }, undefined, "routeql-official-");
  await rm(join(checkout.folder, "offline"), { recursive: true });
  const programs = join(checkout.folder, "programs");
  await mkdir(programs);
  const record = join(checkout.folder, "record");
  const environment = { XDG_CACHE_HOME: join(checkout.folder, "cache"), RECORD: record };
  return { checkout, programs, record, environment };
}

test("without offline/, a preview runs the official CLI and plugins up to its engine", async () => {
  const { checkout, programs, record, environment } = await withoutOffline();
  await using _ = checkout;
  const program = join(programs, "pulumi");
  await writeFile(program, officialPulumi);
  await chmod(program, 0o755);
  const stack = newStackName("official");
  const path = [programs, process.env.PATH].join(delimiter);
  const { code, output } = await checkout.command("preview", stack, [], {
    environment: { ...environment, PATH: path },
  });
  expect(output).toContain("the engine starts here");
  expect(output).toMatch(/Provider plugins: official/);
  expect(code).toBe(1);
  const calls = (await readFile(record, "utf8")).split("\n");
  for (const name of ["docker", "random", "tls"])
    expect(calls).toContainEqual(
      expect.stringMatching(new RegExp(`^plugin install resource ${name} \\d+\\.\\d+\\.\\d+ --exact`)),
    );
  expect(calls.at(-2)).toMatch(/^preview /);
  const project = await readFile(join(checkout.folder, ".routeql", stack, "workspace/Pulumi.yaml"), "utf8");
  expect(project).not.toContain("plugins");
});

test("without offline/ and without a CLI, the error names the program to install", async () => {
  const { checkout, environment } = await withoutOffline();
  await using _ = checkout;
  // A proxy without connections to the outside: no download, also on a machine with internet.
  await using proxy = createServer((socket) => {
    socket.once("data", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")).on("error", () => undefined);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const proxies = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: address, https_proxy: address };
  const { code, output } = await checkout.command("preview", newStackName("official"), [], {
    environment: { ...environment, ...proxies, PATH: "/usr/bin:/bin" },
  });
  expect(code).toBe(1);
  expect(output).toContain("https://github.com/pulumi/pulumi/releases");
});
