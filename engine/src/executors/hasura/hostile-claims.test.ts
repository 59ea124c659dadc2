/** What reaches Hasura, whatever a signed token claims and a client sends beside it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { serveBeforeFake } from "../../lifecycle/testing/fake-hasura.ts";
import { adminSecret } from "../../lifecycle/testing/served-engine.ts";
import { SocketClient } from "../../lifecycle/testing/socket-client.ts";
import { goodClaims, hmacSecret, sign } from "../../lifecycle/testing/tokens.ts";
import { defaultClaimsNamespace } from "../../auth/jwt-settings.ts";

const obeyed = ["x-hasura-admin-secret", "x-hasura-access-key", "x-hasura-use-backend-only-permissions"];
const names = [
  ...obeyed,
  "x-hasura-role",
  "x-hasura-user-id",
  "x-hasura-org-id",
  "x-hasura-audit-credential",
  "x-hasura-audit-address",
  "x-hasura-audit-request-id",
  "x-hasura-allowed-roles",
  "x-hasura-default-role",
  "x-hasura-",
  "x-hasura-a:b",
  "x-hasura-a b",
  "x-hasura-a\r\nx-hasura-role",
  "x-hasura-\u00e9",
  "x-hasura-role\u0000",
  "x-hasura-role ",
  " x-hasura-role",
  "x_hasura_role",
  "authorization",
  "cookie",
  "host",
  "content-length",
  "transfer-encoding",
  "__proto__",
  "constructor",
];

/** In another case, also by letters whose lower or upper case is an ASCII letter. */
const spelled = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom("same", "upper", "title", "kelvin", "long s"))
  .map(([name, how]) => {
    if (how === "upper") return name.toUpperCase();
    if (how === "title") return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
    if (how === "kelvin") return name.replace("k", "\u212a");
    return how === "long s" ? name.replace("s", "\u017f") : name;
  });

const texts = [
  "admin",
  "viewer",
  "true",
  "",
  " ",
  " admin",
  "admin ",
  "admin\r\nx-hasura-role: admin",
  "a\nb",
  "\u0000",
  "\u00e9",
  "\u00c4\u{1f600}",
  "\ud800",
  "\u00a0x",
  "\u007f",
  "\u0085",
  "{}",
  "{1,2}",
  "x".repeat(2_000),
  adminSecret,
];
const value = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...texts) },
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
  { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 5 }) },
  fc.constantFrom<unknown>(null, true, 7, 1e308, [], ["admin"], {}, { a: "b" }),
);
const usual = <T>(value: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: others });
const roles = usual<unknown>(
  ["viewer", "analyst"],
  fc.constantFrom<unknown>(
    ["viewer"],
    ["viewer", "analyst"],
    ["viewer", "admin "],
    ["Admin"],
    [],
    ["viewer", 7],
    [["admin"]],
    "admin",
    { 0: "admin", length: 1 },
    null,
  ),
);
const role = usual<unknown>("viewer", fc.constantFrom<unknown>("analyst", "Admin", "admin ", "", null, ["admin"], 7));

const attempt = fc.record({
  claims: fc.array(fc.tuple(spelled, value), { maxLength: 4 }),
  roles,
  role,
  headers: fc.dictionary(
    fc.constantFrom(
      "x-hasura-role",
      "x-hasura-org-id",
      "x-hasura-use-backend-only-permissions",
      "x-hasura-audit-address",
    ),
    fc.constantFrom("admin", "viewer", "analyst", "true", "192.0.2.1"),
  ),
});

type Attempt = typeof attempt extends fc.Arbitrary<infer Value> ? Value : never;

const ownNames = new Set(["x-hasura-audit-credential", "x-hasura-audit-address", "x-hasura-audit-request-id"]);

/** Why what Hasura received is more than the token grants; undefined if it is not. */
function excess(
  received: Readonly<Record<string, unknown>>,
  claims: ReadonlyMap<string, unknown>,
  allowed: unknown,
  isText: boolean,
): string | undefined {
  for (const [name, given] of Object.entries(received)) {
    if (name === "x-hasura-admin-secret") {
      if (given !== adminSecret) return "another admin secret";
    } else if (name === "x-hasura-role") {
      if (!Array.isArray(allowed) || !allowed.includes(given) || given === "admin") return `the role ${String(given)}`;
    } else if (ownNames.has(name)) {
      if (name === "x-hasura-audit-credential" && !/^token t\d+$/.test(String(given)))
        return `the credential ${String(given)}`;
    } else if (name.startsWith("x-hasura-")) {
      if (obeyed.includes(name)) return name;
      const claim = claims.get(name);
      const text = isText ? given : Buffer.from(String(given), "latin1").toString("utf8");
      if (text !== claim) return `${name}: ${JSON.stringify(text)} in place of ${JSON.stringify(claim)}`;
    } else if (["authorization", "cookie", "__proto__", "constructor"].includes(name)) return name;
  }
  return received["x-hasura-admin-secret"] === undefined || received["x-hasura-role"] === undefined
    ? "no secret or no role"
    : undefined;
}

test("no claim and no header gives more than the roles of the token", { timeout: 120_000 }, async () => {
  await using front = await serveBeforeFake(() => '{"data":{"a":1}}');
  const key = new TextEncoder().encode(hmacSecret);
  let reached = 0;
  // Another one for each token: a session of the same token keeps its socket.
  let count = 0;
  const check = async ({ claims, roles: allowed, role: standard, headers }: Attempt) => {
    const now = Math.floor(Date.now() / 1_000);
    // Object.fromEntries defines own keys, also "__proto__".
    const namespace = {
      ...Object.fromEntries(claims),
      "x-hasura-allowed-roles": allowed,
      "x-hasura-default-role": standard,
    };
    const payload = {
      ...goodClaims(),
      iat: now,
      nbf: now,
      exp: now + 900,
      jti: `t${(count += 1)}`,
      [defaultClaimsNamespace]: namespace,
    };
    const authorization = `Bearer ${await sign(payload, "HS256", key)}`;
    const lower = new Map(Object.entries(namespace).map(([name, one]) => [name.toLowerCase(), one]));
    front.asked.length = 0;
    front.frames.length = 0;
    const response = await fetch(`${front.url}/v1/graphql`, {
      method: "POST",
      body: '{"query":"{ a }"}',
      headers: { ...headers, authorization },
    });
    await response.text();
    for (const { headers: received } of front.asked) {
      reached += 1;
      expect(excess(received, lower, allowed, false)).toBeUndefined();
    }
    if (front.asked.length === 0) return;
    const client = await new SocketClient(front.webSocketUrl, "graphql-transport-ws").opened();
    client.send({ type: "connection_init", payload: { headers: { ...headers, authorization } } });
    await Promise.race([client.next(), client.closed]);
    client.send({ type: "subscribe", id: "1", payload: { query: "subscription { a }" } });
    await Promise.race([client.next(), client.closed]);
    client.socket.terminate();
    const begun = front.frames.filter(({ type }) => type === "connection_init");
    expect(begun.length).toBeGreaterThan(0);
    for (const { payload: sent } of begun)
      expect(excess((sent as { headers: Record<string, unknown> }).headers, lower, allowed, true)).toBeUndefined();
  };
  await fc.assert(fc.asyncProperty(attempt, check), { numRuns: 600, seed: 60 });
  expect(reached).toBeGreaterThan(50);
});
