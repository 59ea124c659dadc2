import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { proxyEnvironment, proxyProblem } from "./proxy.mjs";

test("without a proxy nothing is set", () => {
  expect(proxyEnvironment({ no_proxy: "example.net" })).toEqual({});
});

test.each(["http_proxy", "HTTP_PROXY"])("%s is set in both cases, and loopback is excluded", (name) => {
  expect(proxyEnvironment({ [name]: "http://proxy.example.net:3128" })).toEqual({
    http_proxy: "http://proxy.example.net:3128",
    HTTP_PROXY: "http://proxy.example.net:3128",
    no_proxy: "localhost,127.0.0.1,::1",
    NO_PROXY: "localhost,127.0.0.1,::1",
    NODE_USE_ENV_PROXY: "1",
  });
});

test("existing exclusions stay, and a second run changes nothing", () => {
  const once = proxyEnvironment({ https_proxy: "http://p:1", NO_PROXY: ".example.net, 127.0.0.1" });
  expect(once["no_proxy"]).toBe(".example.net,127.0.0.1,localhost,::1");
  expect(proxyEnvironment(once)).toEqual(once);
  expect(proxyEnvironment({ https_proxy: "http://p:1", no_proxy: "*" })["no_proxy"]).toBe("*");
});

async function withServer<T>(onConnection: (server: Server) => void, work: (port: number) => Promise<T>): Promise<T> {
  const server = createServer();
  onConnection(server);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  }
}

async function problemOf(proxy: string, environment: Record<string, string> = {}): Promise<string | undefined> {
  const problem = await proxyProblem("https://registry.example.net/", { https_proxy: proxy, ...environment }, 300);
  return problem && `${problem.what}. ${problem.remedy}`;
}

test("names a proxy that accepts and stays silent, with its variable and without its password", async () => {
  const sockets = new Set<{ destroy: () => void }>();
  const problem = await withServer(
    (server) => server.on("connection", (socket) => sockets.add(socket)),
    async (port) => {
      const found = await problemOf(`http://anna:secret@127.0.0.1:${port}`);
      for (const socket of sockets) socket.destroy();
      return found;
    },
  );
  expect(problem).toContain("set in https_proxy, does not answer within 0.3 s");
  expect(problem).toContain("correct or unset https_proxy");
  expect(problem).not.toContain("secret");
});

test("names a proxy that refuses connections, with the reason", async () => {
  const port = await withServer(
    () => undefined,
    async (free) => free,
  );
  expect(await problemOf(`http://127.0.0.1:${port}`)).toContain("ECONNREFUSED");
});

test("accepts a proxy that answers, and reports one that requires a login", async () => {
  const answering = (status: string) => (server: Server) =>
    void server.on("connection", (socket) => socket.once("data", () => socket.end(`HTTP/1.1 ${status}\r\n\r\n`)));
  expect(
    await withServer(answering("200 Connection established"), (port) => problemOf(`http://127.0.0.1:${port}`)),
  ).toBeUndefined();
  expect(
    await withServer(answering("407 Proxy Authentication Required"), (port) => problemOf(`http://127.0.0.1:${port}`)),
  ).toContain("requires a login (407)");
});

test("a registry excluded from the proxy is reached without it", async () => {
  expect(await problemOf("http://127.0.0.1:9", { no_proxy: "example.net" })).toBeUndefined();
});
