import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type StartedDirectoryContainer, startDirectory } from "./directory-container.ts";
import { Stack } from "./stack.ts";

let stack: Stack;
let directory: StartedDirectoryContainer;

beforeAll(async () => {
  [stack, directory] = await Promise.all([Stack.start(), startDirectory()]);
});

afterAll(async () => {
  await Promise.all([stack[Symbol.asyncDispose](), directory.stop()]);
});

const password = "ada has a password";

const sidecarAt = (port: number) =>
  stack.sidecar({
    LDAP_URL: `ldap://localhost:${port}`,
    LDAP_STARTTLS: "true",
    LDAP_CA: directory.ca,
    LDAP_BIND_DN: "cn=search,dc=example,dc=net",
    LDAP_BIND_PASSWORD: "directory-search",
    LDAP_USER_BASE: "ou=people,dc=example,dc=net",
    LDAP_ROLES: "viewer: *",
  });

/** An LDAP message without further content: `operation` and `result` are the tags and codes of RFC 4511, 4.1.9 and appendix B. */
const reply = (messageId: number, operation: number, result: number): Buffer =>
  Buffer.from([0x30, 0x0c, 0x02, 0x01, messageId, operation, 0x07, 0x0a, 0x01, result, 0x04, 0x00, 0x04, 0x00]);
const extended = 0x78;
const bound = 0x61;

/** Listens before the directory as an attacker on the network; collects what the sidecar sends in clear text. */
async function attacker(answer: Buffer, forwards: boolean) {
  const received: Buffer[] = [];
  const server = createServer((client) => {
    client.on("error", () => undefined);
    client.once("data", (request) => {
      received.push(request);
      const upstream = connect(directory.getPlainPort(), "127.0.0.1");
      upstream.on("error", () => undefined);
      client.on("close", () => upstream.destroy());
      if (!forwards) client.on("data", (chunk) => received.push(chunk));
      upstream.write(request);
      upstream.once("data", () => {
        client.write(answer);
        if (forwards) client.pipe(upstream).pipe(client);
      });
      client.resume();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    received,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

test.each([
  ["protocolError", reply(1, extended, 2)],
  ["unavailable", reply(1, extended, 52)],
  ["success of a bind", reply(1, bound, 0)],
])("a refused StartTLS (%s) ends in 503 before a password is sent", async (_, answer) => {
  await using between = await attacker(answer, false);
  await using sidecar = await sidecarAt(between.port);
  expect(
    await sidecar.client.call("POST", "/api/auth/login/ldap", { body: { email: "ada@example.net", password } }),
  ).toMatchObject({ status: 503, body: { code: "unavailable" } });
  const sent = Buffer.concat(between.received).toString("latin1");
  expect(sent).toContain("1.3.6.1.4.1.1466.20037");
  expect(sent).not.toMatch(/directory-search|ada has|cn=search/);
});

test("answers that precede TLS in the same packet prove no password", async () => {
  const answers = [1, 2, 3, 4, 5, 6].map((id) => reply(id, id === 1 ? extended : bound, 0));
  await using between = await attacker(Buffer.concat(answers), true);
  await using sidecar = await sidecarAt(between.port);
  const { status } = await sidecar.client.call("POST", "/api/auth/login/ldap", {
    body: { email: "ada@example.net", password: "wrong" },
  });
  expect([401, 503]).toContain(status);
});

test("a referral to another server is not followed, with a search or a bind", async () => {
  let connections = 0;
  const elsewhere = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(elsewhere, "listening");
  const { port } = elsewhere.address() as AddressInfo;
  await directory.change(
    [
      "dn: ou=elsewhere,ou=people,dc=example,dc=net",
      "control: 2.16.840.1.113730.3.4.2",
      "changetype: add",
      "objectClass: referral",
      "objectClass: extensibleObject",
      "ou: elsewhere",
      `ref: ldap://127.0.0.1:${port}/ou=people,dc=example,dc=net`,
      "",
    ].join("\n"),
  );
  try {
    await using sidecar = await sidecarAt(directory.getPlainPort());
    const login = (email: string, secret: string) =>
      sidecar.client.call("POST", "/api/auth/login/ldap", { body: { email, password: secret } });
    expect((await login("ada@example.net", password)).status).toBe(200);
    expect((await login("nobody@example.net", "wrong")).status).toBe(401);
    expect(connections).toBe(0);
  } finally {
    elsewhere.close();
  }
});
