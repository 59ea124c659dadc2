/** Answers of a directory that are no success: each has its answer to the client and its line in the log. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  entry,
  FakeDirectory,
  operations,
  type Request,
  result,
} from "@routeql/auth-sidecar/ldap/testing/fake-directory";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LoginReply } from "./client.ts";
import { Stack } from "./stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await Stack.start();
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

const base = "ou=people,dc=example,dc=net";
const dn = `uid=ada,${base}`;
const ada = { entryUUID: ["6f1d2c7e-0000-4000-8000-000000000001"], mail: ["ada@example.net"], cn: ["Ada"] };
const settings = {
  LDAP_PLAINTEXT: "true",
  LDAP_BIND_DN: "cn=search,dc=example,dc=net",
  LDAP_BIND_PASSWORD: "the search password",
  LDAP_USER_BASE: base,
  LDAP_ROLES: "viewer: *",
  // On a busy machine an answer may take more than three seconds.
  LDAP_TIMEOUT_MILLISECONDS: "30000",
};

const isBindOf = ({ operation, text }: Request, name: string) => operation === operations.bind && text.includes(name);

/** A directory with the account ada, except for the answers of `special`. */
const directoryWith = (special: (request: Request) => readonly Buffer[] | undefined = () => undefined) =>
  FakeDirectory.start(
    (request) =>
      special(request) ??
      (request.operation === operations.bind ? [result(request, 0)] : [entry(request, dn, ada), result(request, 0)]),
  );

const sidecarAt = (ports: readonly number[], more: Record<string, string> = {}) =>
  stack.sidecar({ ...settings, LDAP_URL: ports.map((port) => `ldap://127.0.0.1:${port}`).join(" "), ...more });

type Sidecar = Awaited<ReturnType<typeof sidecarAt>>;
const login = ({ client }: Sidecar) =>
  client.call("POST", "/api/auth/login/ldap", { body: { email: "ada@example.net", password: "a password" } });

/** What each code of a search tells the operator. */
const searches: readonly (readonly [code: number, name: string, remedy: RegExp])[] = [
  [1, "operationsError", /let LDAP_BIND_DN search below LDAP_USER_BASE ou=people/],
  [3, "timeLimitExceeded", /narrow LDAP_USER_FILTER/],
  [8, "strongerAuthRequired", /use ldaps:/],
  [10, "referral", /another server has LDAP_USER_BASE ou=people/],
  [11, "adminLimitExceeded", /narrow LDAP_USER_FILTER/],
  [18, "inappropriateMatching", /correct LDAP_USER_FILTER/],
  [32, "noSuchObject", /LDAP_USER_BASE ou=people,dc=example,dc=net does not exist/],
  [34, "invalidDNSyntax", /LDAP_USER_BASE ou=people,dc=example,dc=net is no DN/],
  [50, "insufficientAccessRights", /let LDAP_BIND_DN search/],
  [51, "busy", /see the log of the directory/],
  [52, "unavailable", /see the log of the directory/],
  [53, "unwillingToPerform", /let LDAP_BIND_DN search/],
  [80, "other", /see the log of the directory/],
  [123, "result code", /see the log of the directory/],
];

test.each(searches)("a search that ends in %i (%s) is 503 with a reason in the log", async (code, name, remedy) => {
  await using directory = await directoryWith((request) =>
    request.operation === operations.search ? [result(request, code, "text of the server about uid=ada")] : undefined,
  );
  await using running = await sidecarAt([directory.port]);
  expect(await login(running)).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(running.log()).toContain(`The search for accounts failed: the directory answers ${name} (${code})`);
  expect(running.log()).toMatch(remedy);
  expect(running.log()).not.toContain("uid=ada");
});

test.each(searches)("after %i (%s) the next server of LDAP_URL is asked", async (code) => {
  await using broken = await directoryWith((request) =>
    request.operation === operations.search ? [result(request, code)] : undefined,
  );
  await using right = await directoryWith();
  await using running = await sidecarAt([broken.port, right.port]);
  expect((await login(running)).status).toBe(200);
});

test.each([
  [49, /correct LDAP_BIND_DN and LDAP_BIND_PASSWORD/],
  [53, /correct LDAP_BIND_DN/],
  [13, /use ldaps:/],
  [51, /see the log of the directory/],
])("a search account that is answered %i is 503, and the next server is asked", async (code, remedy) => {
  await using broken = await directoryWith((request) =>
    request.operation === operations.bind ? [result(request, code)] : undefined,
  );
  await using right = await directoryWith();
  await using alone = await sidecarAt([broken.port]);
  expect((await login(alone)).status).toBe(503);
  expect(alone.log()).toMatch(remedy);
  await using both = await sidecarAt([broken.port, right.port]);
  expect((await login(both)).status).toBe(200);
});

test.each([
  [49, "", 401],
  [49, "80090308: LdapErr: DSID-0C090446, comment: AcceptSecurityContext error, data 775, v4563", 401],
  [19, "Exceed password retry limit", 401],
  [48, "", 401],
  [50, "", 401],
  [53, "Account inactivated", 401],
  [8, "", 503],
  [51, "", 503],
  [52, "", 503],
  [80, "", 503],
])("a password that is answered %i %s is %i", async (code, text, status) => {
  await using directory = await directoryWith((request) =>
    isBindOf(request, dn) ? [result(request, code, text)] : undefined,
  );
  await using running = await sidecarAt([directory.port]);
  expect((await login(running)).status).toBe(status);
  if (code !== 49 || text !== "")
    expect(running.log()).toMatch(new RegExp(`\\(${code}${text.includes("775") ? ", data 775" : ""}\\)`));
});

test("a refused password is not sent to the next server", async () => {
  const refusing = () => directoryWith((request) => (isBindOf(request, dn) ? [result(request, 49)] : undefined));
  await using one = await refusing();
  await using two = await refusing();
  await using running = await sidecarAt([one.port, two.port]);
  expect((await login(running)).status).toBe(401);
  expect(one.requests.filter((request) => isBindOf(request, dn))).toHaveLength(1);
  expect(two.requests).toHaveLength(0);
});

test("an unknown name takes the calls of a wrong password", async () => {
  const calls = async (isKnown: boolean): Promise<readonly number[]> => {
    await using directory = await directoryWith((request) => {
      if (request.operation === operations.search && !isKnown) return [result(request, 0)];
      return isBindOf(request, "ou=people") ? [result(request, 49)] : undefined;
    });
    await using running = await sidecarAt([directory.port]);
    expect((await login(running)).status).toBe(401);
    return directory.requests.map(({ operation }) => operation).filter((one) => one !== operations.unbind);
  };
  expect(await calls(false)).toEqual(await calls(true));
});

test("groups beyond the first range of memberOf count", async () => {
  const groups = Array.from({ length: 3000 }, (_, index) => `cn=group ${index},ou=groups,dc=example,dc=net`);
  const range = (request: Request, from: number, to: number) =>
    entry(request, dn, {
      ...ada,
      [`memberOf;range=${from}-${to === groups.length ? "*" : to - 1}`]: groups.slice(from, to),
    });
  await using directory = await directoryWith((request) => {
    if (request.operation !== operations.search) return undefined;
    const answer = request.text.includes("range=1500-*") ? range(request, 1500, 3000) : range(request, 0, 1500);
    return [answer, result(request, 0)];
  });
  await using running = await sidecarAt([directory.port], {
    LDAP_ROLES: "operator: cn=group 2999,ou=groups,dc=example,dc=net; viewer: *",
  });
  expect(((await login(running)).body as LoginReply).user.role).toBe("operator");
});

test.each([
  ["objectGUID", Buffer.from("00112233445566778899aabbccddeeff", "hex")],
  ["objectSid", Buffer.from("010500000000000515000000a065cf7e784b9b5fe77c8770f4010000", "hex")],
  ["GUID", Buffer.from("fffefdfc8081828384858687888900ff", "hex")],
])("a binary %s identifies an account, in any case of its name", async (attribute, id) => {
  await using directory = await directoryWith((request) =>
    request.operation === operations.search
      ? [entry(request, dn, { ...ada, [attribute]: [id] }), result(request, 0)]
      : undefined,
  );
  for (const name of [attribute, attribute.toLowerCase()]) {
    await using running = await sidecarAt([directory.port], { LDAP_ID_ATTRIBUTE: name });
    const { user } = (await login(running)).body as LoginReply;
    expect(user._id).toBe(`ldap-${id.toString("hex")}`);
    expect((await running.client.token(user.sessionId)).status).toBe(200);
    expect(directory.requests.at(-1)).toBeDefined();
  }
});

test.each([
  ["LDAP_ID_ATTRIBUTE", { mail: ada.mail }, /has no usable entryUUID: correct LDAP_ID_ATTRIBUTE/],
  ["LDAP_EMAIL_ATTRIBUTE", { entryUUID: ada.entryUUID }, /has no usable mail: correct LDAP_EMAIL_ATTRIBUTE/],
  ["a unique id", { ...ada, entryUUID: ["1", "2"] }, /several values of entryUUID/],
  ["a short id", { ...ada, entryUUID: ["1".repeat(300)] }, /has no usable entryUUID/],
])("an entry without %s fails with the attribute in the log", async (_what, attributes, reason) => {
  await using directory = await directoryWith((request) =>
    request.operation === operations.search ? [entry(request, dn, attributes), result(request, 0)] : undefined,
  );
  await using running = await sidecarAt([directory.port]);
  expect((await login(running)).status).toBe(401);
  expect(running.log()).toMatch(reason);
});

test("an account has its first value that is an address, and keeps it", async () => {
  let mail: readonly string[] = ["ada", "first@example.net", "second@example.net"];
  await using directory = await directoryWith((request) =>
    request.operation === operations.search
      ? [entry(request, dn, { ...ada, entryUUID: ["several-mails"], mail }), result(request, 0)]
      : undefined,
  );
  await using running = await sidecarAt([directory.port]);
  expect(((await login(running)).body as LoginReply).user.email).toBe("first@example.net");
  mail = ["second@example.net", "first@example.net"];
  expect(((await login(running)).body as LoginReply).user.email).toBe("first@example.net");
});

test("a long name is cut, and an answer of many megabytes ends its connection", async () => {
  let size = 100_000;
  await using directory = await directoryWith((request) =>
    request.operation === operations.search
      ? [entry(request, dn, { ...ada, entryUUID: ["long-name"], cn: ["n".repeat(size)] }), result(request, 0)]
      : undefined,
  );
  await using running = await sidecarAt([directory.port]);
  expect(((await login(running)).body as LoginReply).user.name).toBe("n".repeat(256));
  size = 3_000_000;
  expect((await login(running)).status).toBe(503);
  expect(running.log()).toContain("the directory answers with more than 1024 KiB");
});

test("an endless answer ends its connection and does not stop the sidecar", async () => {
  let sent = 0;
  await using directory = await FakeDirectory.start((request, socket) => {
    if (request.operation === operations.bind) return [result(request, 0)];
    const more = (): void => {
      while (!socket.destroyed && sent < 1 << 30) {
        sent += 65_536;
        if (!socket.write(Buffer.alloc(65_536, 0x41))) return void socket.once("drain", more);
      }
    };
    socket.write(Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]));
    more();
    return [];
  });
  await using running = await sidecarAt([directory.port]);
  expect((await login(running)).status).toBe(503);
  await sleep(50);
  const before = sent;
  expect(before).toBeLessThan(64 * 1024 * 1024);
  await sleep(50);
  expect(sent).toBe(before);
});

test("a search for an account asks for two entries", async () => {
  await using directory = await directoryWith();
  await using running = await sidecarAt([directory.port]);
  await login(running);
  const search = directory.requests.find(({ operation }) => operation === operations.search)!;
  // sizeLimit follows scope and derefAliases (RFC 4511, 4.5.1).
  expect(search.text).toContain("\u000a\u0001\u0002\u000a\u0001\u0000\u0002\u0001\u0002");
});
