import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { ApiClient } from "@routeql/host/kubernetes/client";
import { readPodLog } from "./read-logs.ts";

/** Lines of a log that an API server answers. */
async function linesOf(answer: (reply: ServerResponse) => void, signal = new AbortController().signal) {
  const server = createServer((_request, reply) => answer(reply));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const config = new KubeConfig();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  config.loadFromClusterAndUser({ name: "c", server: url, skipTLSVerify: true }, { name: "u" });
  const lines: string[] = [];
  const pod = { name: "engine-1", container: "engine" };
  const options = { follow: true, tail: 5, since: undefined };
  try {
    await readPodLog(new ApiClient(config), { namespace: "n" }, pod, options, (line) => lines.push(line), signal);
    return lines;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("reads the lines to the end of the log", async () => {
  expect(await linesOf((reply) => void reply.end("one\ntwo\nthr\u00e9e"))).toEqual(["one", "two", "thrée"]);
});

test("a broken connection fails with the pod's name", async () => {
  const broken = linesOf((reply) => {
    reply.write("one\n");
    setTimeout(() => reply.socket?.destroy(), 20);
  });
  await expect(broken).rejects.toThrow("The log of the pod engine-1 broke off");
});

test("a refusal has the message of the API server", async () => {
  const body = JSON.stringify({ kind: "Status", message: 'pods "engine-1" is forbidden' });
  await expect(linesOf((reply) => void reply.writeHead(403).end(body))).rejects.toThrow('pods "engine-1" is forbidden');
});

test("an interrupt ends the log without an error", async () => {
  const interrupt = new AbortController();
  const lines = linesOf((reply) => {
    reply.write("one\n");
    setTimeout(() => interrupt.abort(), 50);
  }, interrupt.signal);
  expect(await lines).toEqual(["one"]);
});
