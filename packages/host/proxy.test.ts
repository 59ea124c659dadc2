import { createServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { proxyEnvironment, proxyProblem, unreadableProxy } from "./proxy.mjs";

test("without a proxy nothing is set", () => {
  expect(proxyEnvironment({ no_proxy: "example.net" })).toEqual({});
});

test.each(["http_proxy", "HTTP_PROXY"])("%s is set in both cases, and loopback is excluded", (name) => {
  expect(proxyEnvironment({ [name]: "http://proxy.example.net:3128" })).toEqual({
    http_proxy: "http://proxy.example.net:3128",
    HTTP_PROXY: "http://proxy.example.net:3128",
    no_proxy: "localhost,127.0.0.1,::1,[::1]",
    NO_PROXY: "localhost,127.0.0.1,::1,[::1]",
    NODE_USE_ENV_PROXY: "1",
  });
});

test("an address without a scheme, which ends Node at its start, gets the one that curl assumes", () => {
  const { http_proxy, HTTPS_PROXY } = proxyEnvironment({
    HTTP_PROXY: "10.0.0.1:3128",
    https_proxy: "anna:secret@proxy.example.net:3128",
  });
  expect(http_proxy).toBe("http://10.0.0.1:3128");
  expect(HTTPS_PROXY).toBe("http://anna:secret@proxy.example.net:3128");
});

test("existing exclusions stay, and a second run changes nothing", () => {
  const once = proxyEnvironment({ https_proxy: "http://p:1", NO_PROXY: ".example.net, 127.0.0.1" });
  expect(once["no_proxy"]).toBe(".example.net,127.0.0.1,localhost,::1,[::1]");
  expect(proxyEnvironment(once)).toEqual(once);
  for (const no_proxy of ["*", "none.invalid, *"])
    expect(proxyEnvironment({ https_proxy: "http://p:1", no_proxy })["no_proxy"]).toBe("*");
});

test("a name without a proxy holds for its subdomains in all clients of Node", () => {
  const once = proxyEnvironment({ https_proxy: "http://p:1", no_proxy: "example.net,corp,.a.test,*.b.test,c.test:80" });
  expect(once["no_proxy"]).toBe(
    "example.net,corp,.a.test,*.b.test,c.test:80,localhost,127.0.0.1,::1,[::1],.example.net,.corp,.b.test",
  );
  expect(proxyEnvironment(once)).toEqual(once);
});

test("an IPv6 address without a proxy is given in the forms of both clients of Node", () => {
  const once = proxyEnvironment({ https_proxy: "http://p:1", no_proxy: "2001:DB8:0::5,[fd00::1],fe80::1%eth0" });
  expect(once["no_proxy"]).toBe(
    "2001:DB8:0::5,[fd00::1],fe80::1%eth0,localhost,127.0.0.1,::1,[::1],2001:db8::5,[2001:db8::5],fd00::1",
  );
  expect(proxyEnvironment(once)).toEqual(once);
});

test("a network without a proxy is given to Node as a range, which knows no other form", () => {
  const once = proxyEnvironment({
    https_proxy: "http://p:1",
    no_proxy: "10.1.2.3/8,fd00::/8,192.0.2.7/32,10.0.0.0/40",
  });
  expect(once["no_proxy"]).toBe(
    "10.1.2.3/8,fd00::/8,192.0.2.7/32,10.0.0.0/40,localhost,127.0.0.1,::1,[::1],10.0.0.0-10.255.255.255,192.0.2.7-192.0.2.7",
  );
  expect(proxyEnvironment(once)).toEqual(once);
});

test.each([
  ["https://10.20.30.40/", "10.0.0.0/8", true],
  ["https://10.20.30.40:5000/", "192.168.0.0/16, 10.20.0.0/16", true],
  ["https://10.0.0.255/", "10.0.0.0-10.0.0.255", true],
  ["https://10.0.1.0/", "10.0.0.0-10.0.0.255", false],
  ["https://a-b.example.net/", "a-b.example.net", true],
  // Node, which downloads, uses the proxy for networks of IPv6.
  ["https://[fd00::1]/", "fd00::/8", false],
  ["https://[fd00::1]/", "fd00:443::1", false],
  ["https://[fd00::443]/", "fd00::443", true],
  ["https://11.0.0.1/", "10.0.0.0/8", false],
  ["https://10.0.0.1/", "10.0.0.0/33", false],
  ["https://registry.example.net/", "10.0.0.0/8", false],
])("the proxy of %s with no_proxy=%s: excluded is %s", async (url, excluded, isExcluded) => {
  const problem = await proxyProblem(url, { https_proxy: "http://127.0.0.1:1", no_proxy: excluded }, 300);
  expect(problem === undefined).toBe(isExcluded);
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

test.each(["*.example.net", "REGISTRY.example.net", "registry.example.net:443", ".net"])(
  "the entry %s of no_proxy excludes the registry",
  async (entry) =>
    expect(await problemOf("http://127.0.0.1:9", { no_proxy: `a.example.org,${entry}` })).toBeUndefined(),
);

test.each(["gistry.example.net", "registry.example.net:8443", "*.example.org"])(
  "the entry %s of no_proxy does not",
  async (entry) => expect(await problemOf("http://127.0.0.1:9", { no_proxy: entry })).toContain("cannot be used"),
);

test.each(["::1", "[::1]", "[::1]:4873"])("the entry %s of no_proxy excludes that IPv6 address", async (entry) => {
  const environment = { http_proxy: "http://127.0.0.1:9", no_proxy: entry };
  expect(await proxyProblem("http://[::1]:4873/", environment, 300)).toBeUndefined();
});

test("names a proxy whose password has a bare %, with which Node would not start", async () => {
  const environment = { HTTPS_PROXY: "http://anna:p%ss@127.0.0.1:9" };
  expect(unreadableProxy(environment)?.what).toBe("HTTPS_PROXY is not a URL");
  expect(unreadableProxy({ ...environment, HTTPS_PROXY: "http://anna:p%25ss@127.0.0.1:9" })).toBeUndefined();
  expect(await problemOf("http://anna:p%ss@127.0.0.1:9")).toMatch(/^https_proxy is not a URL.*as %25/);
});

test("reads a proxy on Node 20.9, which lacks URL.parse", () => {
  const parse = Object.getOwnPropertyDescriptor(URL, "parse")!;
  Reflect.deleteProperty(URL, "parse");
  try {
    expect(unreadableProxy({ http_proxy: "http://proxy.example.net:3128" })).toBeUndefined();
  } finally {
    Object.defineProperty(URL, "parse", parse);
  }
});

test("asks a proxy with an IPv6 address, and leaves one with SOCKS to the programs", async () => {
  expect(await problemOf("http://[::1]:9")).toContain("ECONNREFUSED");
  expect(await problemOf("socks5://127.0.0.1:9")).toBeUndefined();
});
