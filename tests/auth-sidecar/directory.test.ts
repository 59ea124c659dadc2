import fc from "fast-check";
import { OtlpReceiver, type ReceivedSpan } from "@routeql/tracing/testing/otlp-receiver";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshAddress, type LoginReply } from "./client.ts";
import { type StartedDirectoryContainer, startDirectory } from "./directory-container.ts";
import { type RunningSidecar, Stack } from "./stack.ts";
import { ToxicProxy } from "../harness/containers/toxic-proxy.ts";

let stack: Stack;
let directory: StartedDirectoryContainer;
let running: RunningSidecar;
let settings: Record<string, string>;

beforeAll(async () => {
  [stack, directory] = await Promise.all([Stack.start(), startDirectory()]);
  settings = {
    ...directory.searchSettings,
    LDAP_GROUP_BASE: "ou=groups,dc=example,dc=net",
    LDAP_ROLES: "operator: CN=noc, ou=groups,dc=example,dc=net; analyst: staff; tenant: customers",
    LOGIN_ATTEMPTS_PER_ACCOUNT: "1000",
  };
  running = await stack.sidecar(settings);
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await Promise.all([stack[Symbol.asyncDispose](), directory.stop()]);
});

const login = (email: unknown, password: unknown, { client } = running) =>
  client.call("POST", "/api/auth/login/ldap", { body: { email, password } });
const passwordOf = (uid: string) => `${uid} has a password`;
/** LDIF that adds a person. */
const person = (uid: string, mail = `${uid}@example.net`) =>
  [
    `dn: uid=${uid},ou=people,dc=example,dc=net`,
    "changetype: add",
    "objectClass: inetOrgPerson",
    ...["uid", "cn", "sn"].map((attribute) => `${attribute}: ${uid}`),
    `mail: ${mail}`,
    `userPassword: ${passwordOf(uid)}`,
    "",
  ].join("\n");
const session = (body: unknown) => (body as LoginReply).user.sessionId;
const claims = (body: unknown) =>
  decodeJwt((body as { access_token: string }).access_token)["https://hasura.io/jwt/claims"];

describe("the directory login", () => {
  test.each([
    ["Ada@example.net", "ada", "Ada", "operator"],
    ["BEN@EXAMPLE.NET", "ben", "Ben", "analyst"],
    ["cy@example.net", "cy", "Cy", "tenant"],
    ["jo@example.net", "jo", "Smith, Jo (x)*\\", "analyst"],
  ])(
    "answers %s as the credentials login does, with the role of the first group that holds",
    async (email, uid, name, role) => {
      const { status, headers, body } = await login(email, passwordOf(uid));
      expect(status).toBe(200);
      expect((body as LoginReply).user).toMatchObject({ name, role, lastLogin: null });
      expect((body as LoginReply).user._id).toMatch(/^ldap-[0-9a-f-]{36}$/);
      expect(headers.getSetCookie()).toEqual([
        `sid=${session(body)}; Path=/api/auth; HttpOnly; Secure; SameSite=Strict`,
      ]);
      const token = await running.client.token(session(body));
      expect(claims(token.body)).toMatchObject({
        "x-hasura-default-role": role,
        ...(role === "tenant" ? { "x-hasura-org-id": "as64496" } : {}),
      });
      expect((await running.client.logout(session(body))).status).toBe(200);
      expect((await running.client.token(session(body))).status).toBe(401);
    },
  );

  test("an account without a group gets a session but no token", async () => {
    const { body } = await login("dot@example.net", passwordOf("dot"));
    expect((body as LoginReply).user.role).toBe("pending");
    expect(await running.client.token(session(body))).toMatchObject({ status: 403, body: { code: "no-access" } });
  });

  test("all failed logins get the same answer", async () => {
    const tries = [
      ["ada@example.net", "wrong"],
      ["ada@example.net", ""],
      ["", ""],
      ["nobody@example.net", "wrong"],
      ["twin@example.net", "twins have a password"],
      ["nomail", passwordOf("nomail")],
      ["*", passwordOf("ada")],
      ["ada*", passwordOf("ada")],
      ["*)(uid=*", passwordOf("ada")],
      ["ada@example.net)(uid=ada", passwordOf("ada")],
      ["ada@example.net\0", passwordOf("ada")],
      ["\\2a", passwordOf("ada")],
      ["{{username}}", "x"],
      ["$&", "x"],
    ];
    for (const [email, password] of tries) {
      expect(await login(email, password), email).toMatchObject({
        status: 401,
        body: { error: "wrong credentials", code: "wrong-credentials" },
      });
    }
  });

  test("ASVS 6.3.4: is throttled in the same way", async () => {
    await using limited = await stack.sidecar({ ...settings, LOGIN_ATTEMPTS_PER_ACCOUNT: "2" });
    const address = freshAddress();
    const attempt = (password: string) =>
      limited.client.call("POST", "/api/auth/login/ldap", { address, body: { email: "ben@example.net", password } });
    expect([
      (await attempt("wrong")).status,
      (await attempt("wrong")).status,
      (await attempt(passwordOf("ben"))).status,
    ]).toEqual([401, 401, 429]);
  });

  test("ASVS 6.3.1, 6.3.8: counts failures of known and unknown names alike", async () => {
    await using limited = await stack.sidecar({
      ...settings,
      LDAP_USER_FILTER: "(|(mail={{username}})(uid={{username}})(cn={{username}}))",
      LOGIN_ATTEMPTS_PER_ACCOUNT: "2",
    });
    /** Statuses of wrong passwords, and finally of the right one, for spellings that the directory treats as one name. */
    const statuses = async (name: string): Promise<number[]> => {
      const address = freshAddress();
      const found: number[] = [];
      const spellings = [
        name,
        `${name} `,
        ` ${name.toUpperCase()}`,
        `${name}\u00a0`,
        name.replace(/[!-~]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
        `${name}\u00ad`,
        `${name}\u200b`,
      ];
      for (const [index, email] of [...spellings, ...spellings].entries()) {
        const password = index < spellings.length ? "wrong" : passwordOf(name);
        found.push(
          (await limited.client.call("POST", "/api/auth/login/ldap", { address, body: { email, password } })).status,
        );
      }
      return found;
    };
    const known = await statuses("cy");
    expect(known.slice(0, 5)).toEqual([401, 401, 429, 429, 429]);
    expect(known).not.toContain(200);
    expect(await statuses("zy")).toEqual(known);
  });

  test("ASVS 1.2.6: escapes any text", { timeout: 120_000 }, async () => {
    const special = fc.string({
      unit: fc.constantFrom("*", "(", ")", "\\", "\0", "&", "|", "=", "!", ",", "ä", "a", "😀", "\ud800"),
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(special, special, async (email, password) => {
        expect((await login(email, password)).status).toBe(401);
      }),
      { numRuns: 30 },
    );
  });
});

describe("ASVS 6.8.1: accounts of the directory and local ones", () => {
  test("never conflict, even with the same address", async () => {
    const local = await stack.addUser("viewer");
    await stack.sql.query("update auth.users set email = 'ben@example.net' where id = $1", [local.id]);
    expect((await running.client.login("ben@example.net", passwordOf("ben"))).status).toBe(401);
    expect((await login("ben@example.net", local.password)).status).toBe(401);
    const mine = ((await running.client.login("ben@example.net", local.password)).body as LoginReply).user;
    const theirs = ((await login("ben@example.net", passwordOf("ben"))).body as LoginReply).user;
    expect(mine).toMatchObject({ _id: local.id, role: "viewer" });
    expect(theirs).toMatchObject({ role: "analyst" });
    expect(theirs._id).not.toBe(mine._id);
  });

  test("an address that moves to another entry does not move permissions", async () => {
    await directory.change(person("old", "moving@example.net"));
    const before = ((await login("moving@example.net", passwordOf("old"))).body as LoginReply).user;
    await directory.change("dn: uid=old,ou=people,dc=example,dc=net\nchangetype: delete\n");
    await directory.change(person("new", "moving@example.net"));
    const after = ((await login("moving@example.net", passwordOf("new"))).body as LoginReply).user;
    expect(after._id).not.toBe(before._id);
    expect(after.lastLogin).toBeNull();
    expect((await running.client.token(before.sessionId)).status).toBe(401);
    expect((await login("moving@example.net", passwordOf("old"))).status).toBe(401);
  });

  test("two entries with the same address can both log in at the same moment", async () => {
    await using byName = await stack.sidecar({ ...settings, LDAP_USER_FILTER: "(uid={{username}})" });
    await Promise.all(["one", "two"].map((uid) => directory.change(person(uid, "shared@example.net"))));
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(["one", "two", "one", "two"].map((uid) => login(uid, passwordOf(uid), byName)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    }
  });
});

describe("ASVS 7.4.2: at the next use of a session", () => {
  const dn = (uid: string) => `uid=${uid},ou=people,dc=example,dc=net`;
  const roleChanges = async (userId: string) =>
    (await stack.audit(userId)).filter(({ event }) => event === "role-changed").map(({ detail }) => detail);

  test("another group gives another role, and no group none", async () => {
    await directory.change(person("eve"));
    await directory.change(
      `dn: cn=staff,ou=groups,dc=example,dc=net\nchangetype: modify\nadd: member\nmember: ${dn("eve")}\n`,
    );
    const { user } = (await login("eve@example.net", passwordOf("eve"))).body as LoginReply;
    const { sessionId } = user;
    expect(claims((await running.client.token(sessionId)).body)).toMatchObject({ "x-hasura-default-role": "analyst" });
    await directory.change(
      `dn: cn=noc,ou=groups,dc=example,dc=net\nchangetype: modify\nadd: member\nmember: ${dn("eve")}\n`,
    );
    const { body } = await running.client.token(sessionId);
    expect(claims(body)).toMatchObject({ "x-hasura-default-role": "operator" });
    const revoked =
      "select extract(epoch from issued_before)::float8 as time from auth.revoked_tokens where account_id = $1";
    const { rows } = await stack.sql.query<{ time: number }>(revoked, [user._id]);
    expect(decodeJwt((body as { access_token: string }).access_token).iat).toBeGreaterThanOrEqual(rows[0]!.time);
    for (const group of ["noc", "staff"])
      await directory.change(
        `dn: cn=${group},ou=groups,dc=example,dc=net\nchangetype: modify\ndelete: member\nmember: ${dn("eve")}\n`,
      );
    expect((await running.client.token(sessionId)).status).toBe(403);
    expect(await roleChanges(user._id)).toEqual([
      { from: "analyst", to: "operator", by: "directory" },
      { from: "operator", to: "pending", by: "directory" },
    ]);
  });

  test("a role change applies only after it is recorded", async () => {
    await directory.change(person("iva"));
    const { user } = (await login("iva@example.net", passwordOf("iva"))).body as LoginReply;
    await directory.change(
      `dn: cn=noc,ou=groups,dc=example,dc=net\nchangetype: modify\nadd: member\nmember: ${dn("iva")}\n`,
    );
    await stack.sql.query(
      "alter table auth.audit_events add constraint unrecorded check (event <> 'role-changed') not valid",
    );
    try {
      expect((await running.client.token(user.sessionId)).status).toBe(500);
      expect((await stack.sql.query("select role from auth.users where id = $1", [user._id])).rows).toEqual([
        { role: "pending" },
      ]);
    } finally {
      await stack.sql.query("alter table auth.audit_events drop constraint unrecorded");
    }
    expect(claims((await running.client.token(user.sessionId)).body)).toMatchObject({
      "x-hasura-default-role": "operator",
    });
    expect(await roleChanges(user._id)).toEqual([{ from: "pending", to: "operator", by: "directory" }]);
  });

  test("a removed entry ends it", async () => {
    await directory.change(person("fay"));
    const sessionId = session((await login("fay@example.net", passwordOf("fay"))).body);
    await directory.change(`dn: ${dn("fay")}\nchangetype: delete\n`);
    expect(await running.client.token(sessionId)).toMatchObject({ status: 401, body: { code: "no-session" } });
  });

  test("an entry outside LDAP_ACTIVE_FILTER loses its session and cannot log in", async () => {
    await using filtered = await stack.sidecar({ ...settings, LDAP_ACTIVE_FILTER: "(!(description=disabled))" });
    await directory.change(person("gus"));
    const sessionId = session((await login("gus@example.net", passwordOf("gus"), filtered)).body);
    await directory.change(`dn: ${dn("gus")}\nchangetype: modify\nadd: description\ndescription: disabled\n`);
    expect((await filtered.client.token(sessionId)).status).toBe(401);
    expect((await login("gus@example.net", passwordOf("gus"), filtered)).status).toBe(401);
  });

  test("an account that an operator disabled stays disabled, despite the directory", async () => {
    await directory.change(person("hal"));
    const user = ((await login("hal@example.net", passwordOf("hal"))).body as LoginReply).user;
    await stack.sql.query("update auth.users set disabled = true where id = $1", [user._id]);
    expect((await running.client.token(user.sessionId)).status).toBe(403);
    expect((await login("hal@example.net", passwordOf("hal"))).status).toBe(403);
  });

  test("a sidecar whose directory was removed rejects it", async () => {
    const sessionId = session((await login("ada@example.net", passwordOf("ada"))).body);
    await using without = await stack.sidecar();
    expect((await without.client.token(sessionId)).status).toBe(401);
  });
});

describe("the connection", () => {
  test("StartTLS works, and memberOf where no group base is set", async () => {
    const { LDAP_GROUP_BASE: _, ...rest } = settings;
    await using other = await stack.sidecar({
      ...rest,
      LDAP_URL: `ldap://localhost:${directory.getPlainPort()}`,
      LDAP_STARTTLS: "true",
    });
    expect((await login("ada@example.net", passwordOf("ada"), other)).status).toBe(200);
  });

  test("an IP address works if the certificate contains it", async () => {
    await using other = await stack.sidecar({ ...settings, LDAP_URL: `ldaps://127.0.0.1:${directory.getTlsPort()}` });
    expect((await login("ada@example.net", passwordOf("ada"), other)).status).toBe(200);
  });

  test.each(["ldaps", "ldap"])(
    "ASVS 12.3.2: over %s an unknown CA is refused with 503 before a password is sent",
    async (scheme) => {
      const { LDAP_CA: _, ...rest } = settings;
      const port = scheme === "ldaps" ? directory.getTlsPort() : directory.getPlainPort();
      await using other = await stack.sidecar({
        ...rest,
        LDAP_URL: `${scheme}://localhost:${port}`,
        LDAP_STARTTLS: "true",
      });
      expect(await login("ada@example.net", passwordOf("ada"), other)).toMatchObject({
        status: 503,
        body: { code: "unavailable" },
      });
      expect(other.log()).toMatch(/self.signed certificate|unable to (verify|get)/);
    },
  );

  test("servers are tried in turn", async () => {
    await using proxy = await ToxicProxy.to("127.0.0.1", directory.getTlsPort());
    proxy.set("reset");
    await using other = await stack.sidecar({
      ...settings,
      LDAP_URL: `ldaps://localhost:${proxy.port}, ${settings["LDAP_URL"]}`,
    });
    expect((await login("ada@example.net", passwordOf("ada"), other)).status).toBe(200);
  });

  test.each(["reset", "hang"] as const)(
    "a directory with %s: login and token answer 503 in bounded time, and recover",
    async (toxic) => {
      await using proxy = await ToxicProxy.to("127.0.0.1", directory.getTlsPort());
      await using other = await stack.sidecar({
        ...settings,
        LDAP_URL: `ldaps://localhost:${proxy.port}`,
        LDAP_TIMEOUT_MILLISECONDS: "5000",
      });
      const sessionId = session((await login("ada@example.net", passwordOf("ada"), other)).body);
      const local = await stack.addUser();
      proxy.set(toxic);
      for (const answer of await Promise.all([
        login("ada@example.net", passwordOf("ada"), other),
        other.client.token(sessionId),
      ])) {
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(answer.milliseconds).toBeLessThan(20_000);
      }
      expect((await other.client.login(local.email, local.password)).status).toBe(200);
      proxy.set("pass");
      expect((await other.client.token(sessionId)).status).toBe(200);
    },
  );

  test("logins at a silent directory are limited and do not block local logins", async () => {
    await using proxy = await ToxicProxy.to("127.0.0.1", directory.getTlsPort());
    proxy.set("hang");
    await using other = await stack.sidecar({ ...settings, LDAP_URL: `ldaps://localhost:${proxy.port}` });
    const local = await stack.addUser();
    const crowd = Array.from({ length: 100 }, () => login("ada@example.net", passwordOf("ada"), other));
    expect(await Promise.race(crowd)).toMatchObject({ status: 429, body: { code: "too-many-requests" } });
    expect((await other.client.login(local.email, local.password)).status).toBe(200);
    // The remaining logins have waited long enough.
    proxy.set("reset");
    const answers = await Promise.all(crowd);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429, 503]));
  });

  test("a wrong search account is an outage, not wrong credentials", async () => {
    await using other = await stack.sidecar({ ...settings, LDAP_BIND_PASSWORD: "not-the-password" });
    expect((await login("ada@example.net", passwordOf("ada"), other)).status).toBe(503);
  });
});

test("each login has a span for every call of the directory, without password, name or DN", async () => {
  await using receiver = await OtlpReceiver.start();
  const ids = { right: "1".repeat(32), wrong: "2".repeat(32), unknown: "3".repeat(32), later: "4".repeat(32) };
  {
    await using traced = await stack.sidecar({ ...settings, TRACE_ENDPOINT: receiver.url, TRACE_PERCENT: "100" });
    const attempt = (id: string, email: string, password: string) =>
      traced.client.call("POST", "/api/auth/login/ldap", {
        body: { email, password },
        headers: { "x-request-id": id },
      });
    const { body } = await attempt(ids.right, "ada@example.net", passwordOf("ada"));
    expect((await attempt(ids.wrong, "ada@example.net", "wrong-secret")).status).toBe(401);
    expect((await attempt(ids.unknown, "nobody@example.net", "wrong-secret")).status).toBe(401);
    const headers = { "x-request-id": ids.later };
    expect((await traced.client.token(session(body), { headers })).status).toBe(200);
    const requests = () => receiver.spans.filter(({ kind }) => kind === 2).length;
    await expect.poll(requests, { timeout: 20_000 }).toBe(Object.keys(ids).length);
  }
  const isOfDirectory = ({ name }: ReceivedSpan) => name.startsWith("LDAP");
  for (const [id, route] of [
    [ids.right, "POST /api/auth/login/ldap"],
    [ids.later, "GET /api/auth/jwt"],
  ] as const) {
    const request = receiver.of(id).find(({ kind }) => kind === 2)!;
    expect(request.name).toBe(route);
    for (const span of receiver.of(id).filter(isOfDirectory))
      expect(span).toMatchObject({ kind: 3, failed: false, parentSpanId: request.spanId });
  }
  const search = "LDAP search";
  const own = "LDAP bind of the search account";
  const decided = [own, search, "LDAP bind of the user"];
  const names = (id: string) =>
    receiver
      .of(id)
      .filter(isOfDirectory)
      .map(({ name }) => name);
  expect(names(ids.right)).toEqual([...decided, own, search]);
  expect(names(ids.wrong)).toEqual(decided);
  expect(names(ids.unknown)).toEqual(decided);
  expect(names(ids.later)).toEqual([own, search, search]);
  const server = {
    "network.protocol.name": "ldap",
    "server.address": "localhost",
    "server.port": directory.getTlsPort(),
  };
  const failed = receiver.spans.filter((span) => isOfDirectory(span) && span.failed);
  // 49 is the result code invalidCredentials (RFC 4511, 4.1.9).
  const refused = { name: "LDAP bind of the user", attributes: { ...server, "error.type": "49" } };
  expect(failed).toMatchObject([refused, refused]);
  for (const span of receiver.spans.filter((one) => isOfDirectory(one) && !one.failed))
    expect(span.attributes).toEqual(server);
  // Ids of spans are hexadecimal, so that the letters of "ada" may be in one.
  expect(receiver.text).not.toMatch(/password|wrong-secret|directory-search|example|\bada\b|nobody|uid=|cn=/i);
});

test("neither log nor audit trail holds a password, an address or a DN of the directory", async () => {
  const { rows } = await stack.sql.query("select * from auth.audit_events");
  const kept = running.log() + JSON.stringify(rows);
  for (const secret of ["has a password", "directory-search", "@example.net", "uid=ada"])
    expect(kept).not.toContain(secret);
});

test("ASVS 6.3.8: an unknown name takes at least as long as a wrong password", async () => {
  for (const email of ["nobody@example.net", "ada@example.net", ""]) {
    const { status, milliseconds } = await login(email, "wrong");
    expect(status).toBe(401);
    expect(milliseconds, email).toBeGreaterThanOrEqual(395);
  }
});
