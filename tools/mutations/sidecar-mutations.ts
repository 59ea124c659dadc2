import type { Mutation } from "./mutation.ts";

const claims = ["auth-sidecar/src/tokens/token-claims.test.ts"];
const cookie = ["auth-sidecar/src/sessions/session-cookie.test.ts"];
const suite = "unit";

/** What keeps accounts, sessions, tokens and secrets. */
export const sidecarMutations: readonly Mutation[] = [
  {
    fault: "tokens live ten times as long",
    file: "auth-sidecar/src/tokens/token-claims.ts",
    edits: [{ from: "exp: now + lifeSeconds,", to: "exp: now + lifeSeconds * 10," }],
    suite,
    tests: claims,
    noticedBy: "the claims are those of the contract and no more",
  },
  {
    fault: "an account whose role is `admin` gets a token of the engine's all-powerful role",
    file: "auth-sidecar/src/tokens/token-claims.ts",
    edits: [{ from: "if (!hasAccess(user) || !isApplicationRole(user.role)) throw", to: "if (!hasAccess(user)) throw" }],
    suite,
    tests: claims,
    noticedBy: "no token",
  },
  {
    fault: "a tenant's token names no organisation",
    file: "auth-sidecar/src/tokens/token-claims.ts",
    edits: [{ from: '...(user.organisationId === null ? {} : { "x-hasura-org-id": user.organisationId }),', to: "" }],
    suite,
    tests: claims,
    noticedBy: "the claims are those of the contract and no more",
  },
  {
    fault: "scripts of a page can read the session cookie",
    file: "auth-sidecar/src/sessions/session-cookie.ts",
    edits: [{ from: "httpOnly: true", to: "httpOnly: false" }],
    suite,
    tests: cookie,
    noticedBy: "the cookie has every attribute",
  },
  {
    fault: "the session cookie goes along with requests of other sites",
    file: "auth-sidecar/src/sessions/session-cookie.ts",
    edits: [{ from: 'sameSite: "strict"', to: 'sameSite: "lax"' }],
    suite,
    tests: cookie,
    noticedBy: "the cookie has every attribute",
  },
  {
    fault: "the time of an answer tells whether an account exists",
    file: "auth-sidecar/src/passwords/passwords.ts",
    edits: [{ from: "const matches = await verifyPassword(passwordHash ?? (await this.#decoy), password);", to: 'const matches = typeof passwordHash === "string" && (await verifyPassword(passwordHash, password));' }],
    suite,
    tests: ["auth-sidecar/src/passwords/passwords.test.ts"],
    noticedBy: "takes the work of one with it",
  },
  {
    fault: "the Authorization header is logged",
    file: "auth-sidecar/src/logging.ts",
    edits: [{ from: '  "authorization",\n', to: "" }],
    suite,
    tests: ["auth-sidecar/src/logging.test.ts"],
    noticedBy: "authorization",
  },
  {
    fault: "one subscriber has 2^64 IPv6 addresses to guess passwords from",
    file: "auth-sidecar/src/throttle/address-group.ts",
    edits: [{ from: ".slice(0, 4)", to: ".slice(0, 8)" }],
    suite,
    tests: ["auth-sidecar/src/throttle/address-group.test.ts"],
    noticedBy: "::/64",
  },
  {
    fault: "a new key signs before verifiers can know it",
    file: "auth-sidecar/src/keys/rotation-policy.ts",
    edits: [{ from: "publishedBeforeSigning: maxAge + 2 * refresh,", to: "publishedBeforeSigning: 0," }],
    suite,
    tests: ["auth-sidecar/src/keys/rotation-policy.test.ts"],
    noticedBy: "a key is published at least one max-age before it signs",
  },
  {
    fault: "published default secrets are accepted",
    file: "auth-sidecar/src/weak-secrets.ts",
    edits: [{ from: 'if (isKnownSecret(secret)) return "is a known default or example value";', to: "" }],
    suite,
    tests: ["infra/settings/strength.test.ts", "auth-sidecar/src/weak-secrets.test.ts"],
    noticedBy: "default",
  },
  {
    fault: "the throttle of logins refuses nobody",
    file: "auth-sidecar/src/throttle/throttle.ts",
    edits: [{ from: "if (longest > 0) throw", to: "if (longest < 0) throw" }],
    suite: "auth-sidecar",
    tests: ["tests/auth-sidecar/throttle.test.ts"],
    noticedBy: "429",
  },
];
