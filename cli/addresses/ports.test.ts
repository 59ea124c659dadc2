import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { freeProposals, listenerOn, listeningInodes, otherValue, portProblem, remedyFor } from "./ports.ts";

test("finds a port in use and its program; a free port is not a problem", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  expect(await portProblem("127.0.0.1", port)).toBe("in use");
  expect(await listenerOn(port)).toContain(`(process ${process.pid})`);
  await new Promise((resolve) => server.close(resolve));
  expect(await portProblem("127.0.0.1", port)).toBeUndefined();
  expect(await listenerOn(port)).toBeUndefined();
});

test("reports an address that this machine does not have", async () => {
  expect(await portProblem("192.0.2.1", 8080)).toBe("no such address");
});

test("suggests another value in the right file, for this stack alone", () => {
  expect(otherValue("httpPort", "local", [])).toBe("echo HTTP_PORT=8080 >>.env");
  expect(otherValue("httpPort", "local", ["httpPort"])).toBe("routeql:httpPort in Pulumi.local.yaml");
  expect(otherValue("httpPort", "staging", [])).toBe("routeql:httpPort in Pulumi.staging.yaml");
  expect(otherValue("httpPort", "staging", [], { hasOwnFile: true })).toBe("echo HTTP_PORT=8080 >>.env.staging");
});

test("proposes only free ports, each one once", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const { httpPort, httpsPort } = await freeProposals(
    ["httpPort", "httpsPort", "httpPort"],
    ["127.0.0.1", "0.0.0.0"],
    [8080, 8081, 8443],
  );
  server.close();
  for (const proposed of [httpPort, httpsPort]) expect([8080, 8081, 8443, port]).not.toContain(proposed);
  expect(await portProblem("127.0.0.1", httpPort!)).toBeUndefined();
  expect(httpPort).toBeGreaterThan(8081);
  const remedy = remedyFor(["httpPort"], {
    stack: "local",
    inFile: [],
    rootless: false,
    proposals: { httpPort: 8092 },
  });
  expect(remedy).toContain("echo HTTP_PORT=8092 >>.env");
});

test("for a rootless daemon, names every setting that helps and the way to keep the ports", () => {
  const remedy = remedyFor(["httpPort", "httpsPort"], { stack: "local", inFile: [], rootless: true });
  expect(remedy).toContain("echo HTTP_PORT=8080 >>.env; echo HTTPS_PORT=8443 >>.env");
  expect(remedy).toContain("net.ipv4.ip_unprivileged_port_start");
  expect(remedyFor(["hostAddress", "hostAddress"], { stack: "local", inFile: [], rootless: false })).toBe(
    "choose an address of this machine: echo HOST_ADDRESS=127.0.0.1 >>.env",
  );
});

test("only sockets that listen on exactly the port count", () => {
  const table = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
    "   0: 0100007F:01BB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1",
    "   1: 0100007F:01BB 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 222 1",
    "   2: 0100007F:11BB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 333 1",
  ].join("\n");
  expect(listeningInodes(table, 443)).toEqual(["111"]);
});
