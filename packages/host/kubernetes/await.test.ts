import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { afterEach, expect, test } from "vitest";
import { deleteAndWait, untilReady } from "./await.ts";
import { ApiClient } from "./client.ts";
import { Cluster } from "./cluster.ts";
import type { KubernetesObject } from "./objects.ts";

const job = (conditions: readonly object[], annotations = {}): KubernetesObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "migrate", namespace: "routes", uid: "1", annotations },
  status: { conditions },
});
const running = job([]);
const complete = job([{ type: "Complete", status: "True" }]);
const reference = { apiVersion: "batch/v1", kind: "Job", name: "migrate", namespace: "routes" };

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
const json =
  (body: object): Answer =>
  (response) =>
    response.end(JSON.stringify(body));
const reset: Answer = (response) => response.destroy();
const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end('{"message":"etcdserver: leader changed"}');

const servers: { close: () => void }[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** @param answers to requests other than discovery, in their order; the last one repeats */
async function clusterWith(answers: readonly Answer[], port = 0) {
  const requests: string[] = [];
  const warnings: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/apis/batch/v1")
      return json({ resources: [{ name: "jobs", kind: "Job", namespaced: true }] })(response, request);
    requests.push(request.method!);
    return answers[Math.min(requests.length, answers.length) - 1]!(response, request);
  });
  servers.push(server);
  await once(server.listen(port, "127.0.0.1"), "listening");
  const config = new KubeConfig();
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  config.loadFromClusterAndUser({ name: "c", server: address, skipTLSVerify: true }, { name: "u" });
  const cluster = new Cluster(new ApiClient(config, (text) => void warnings.push(text)));
  return { cluster, server, requests, warnings };
}
const signal = new AbortController().signal;

test.each([
  ["a reset connection", reset],
  ["a server that stops", status(503)],
  ["a server without its store", status(500)],
])("a wait repeats its requests until the API server answers again: %s", async (_, failing) => {
  const { cluster, requests, warnings } = await clusterWith([json(running), failing, failing, json(complete)]);
  await expect(untilReady(running, reference, cluster, signal)).resolves.toEqual(complete);
  expect(requests).toEqual(["GET", "GET", "GET", "GET"]);
  expect(warnings).toEqual([expect.stringMatching(/; the request is repeated until 20\d\d-/)]);
});

test("a wait survives the restart of the API server", async () => {
  const { cluster, server, warnings } = await clusterWith([
    json(running),
    (response) => {
      server.close();
      server.closeAllConnections();
      response.destroy();
    },
  ]);
  const { port } = server.address() as AddressInfo;
  const wait = untilReady(running, reference, cluster, signal);
  await once(server, "close");
  setTimeout(() => void clusterWith([json(complete)], port), 1_500);
  await expect(wait).resolves.toEqual(complete);
  expect(warnings).toEqual([expect.stringContaining("does not answer: ")]);
});

test("a wait ends at its time limit with the reason if the API server stays away", async () => {
  const short = job([], { "pulumi.com/timeoutSeconds": "1" });
  const { cluster } = await clusterWith([reset]);
  await expect(untilReady(short, reference, cluster, signal)).rejects.toThrow("does not answer: socket hang up");
});

test("a wait ends at once when the API server rejects its request", async () => {
  const { cluster, requests } = await clusterWith([status(403)]);
  await expect(untilReady(running, reference, cluster, signal)).rejects.toMatchObject({ code: 403 });
  expect(requests).toEqual(["GET"]);
});

test("a deletion is sent once; its wait repeats requests", async () => {
  const waiting = await clusterWith([json(running), json({}), reset, status(404)]);
  await deleteAndWait(reference, waiting.cluster, signal);
  expect(waiting.requests).toEqual(["GET", "DELETE", "GET", "GET"]);
  const failing = await clusterWith([json(running), reset]);
  await expect(deleteAndWait(reference, failing.cluster, signal)).rejects.toThrow("does not answer: socket hang up");
  expect(failing.requests).toEqual(["GET", "DELETE"]);
});
