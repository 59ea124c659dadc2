/**
 * field.md D2: scheduled key rotation under load rejects no request. Two replicas share one address, and the embedded engine verifies
 * tokens with real expiry. One minute replaces ten, and all lifetimes are shortened to match. ROUTEQL_DRILL_SECONDS=600 runs the full
 * length with lifetimes that a deployment may have.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type EngineProcess, startEngineProcess } from "../engine/support/engine-process.ts";
import { keepFigures } from "../harness/figures/figures.ts";
import { Balancer } from "./balancer.ts";
import { Client, gatewayKey } from "./client.ts";
import { type RunningSidecar, Stack } from "./stack.ts";

const seconds = Number(process.env["ROUTEQL_DRILL_SECONDS"] ?? 60);
const scale = seconds / 600;
const lives = {
  TOKEN_LIFE_SECONDS: Math.round(60 * scale),
  JWKS_MAX_AGE_SECONDS: Math.round(20 * scale),
  KEY_REFRESH_SECONDS: Math.round(10 * scale),
  KEY_ROTATION_HOURS: (100 * scale) / 3600,
};
const requestsPerSecond = 200;
/** Above this number of concurrent requests the machine is too slow, and a turn is skipped. */
const mostAtOnce = 100;

let stack: Stack;
let replicas: readonly RunningSidecar[];
let balancer: Balancer;
let engine: EngineProcess;

beforeAll(async () => {
  stack = await Stack.start();
  replicas = await Promise.all([stack.sidecar({}, { lives }), stack.sidecar({}, { lives })]);
  balancer = await Balancer.before(...replicas.map(({ sidecar }) => sidecar.port));
  engine = await startEngineProcess({
    ROUTEQL_DATABASE_URL: stack.database.getConnectionUri("engine"),
    ENGINE_METADATA_DIRECTORY: new URL("../../hasura-metadata", import.meta.url).pathname,
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
      jwk_url: `${balancer.url}/jwks`,
      issuer: "routeql",
      audience: "routeql",
    }),
    ENGINE_POOL_SIZE: "5",
  });
});

afterAll(async () => {
  await engine?.[Symbol.asyncDispose]();
  await balancer?.[Symbol.asyncDispose]();
  await Promise.all((replicas ?? []).map((replica) => replica[Symbol.asyncDispose]()));
  await stack?.[Symbol.asyncDispose]();
});

interface HeldToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Valid tokens of the whole drill, the oldest first. */
class Tokens {
  readonly signers = new Set<string>();
  #held: HeldToken[] = [];

  add(token: string): void {
    this.signers.add(decodeProtectedHeader(token).kid!);
    this.#held.push({ token, expires: decodeJwt(token).exp! * 1000 });
  }

  /** The oldest token that is valid for another second, or the newest. */
  take(turn: number): HeldToken | undefined {
    const now = Date.now();
    this.#held = this.#held.filter(({ expires }) => expires > now + 1000);
    return turn % 2 === 0 ? this.#held[0] : this.#held.at(-1);
  }
}

test(
  "field.md D2, the drill: scheduled key rotation under load rejects no token and no query",
  { timeout: (seconds + 120) * 1000 },
  async () => {
    const client = new Client(balancer.url, stack.environment["SERVICE_API_KEY"]!);
    const users = await Promise.all(Array.from({ length: 4 }, () => stack.addUser()));
    const sessions = await Promise.all(users.map(({ email, password }) => client.session(email, password)));
    const tokens = new Tokens();
    const refused: string[] = [];
    const done = { tokens: 0, queries: 0, expiredOnTheWay: 0, askedAgain: 0, leftOut: 0 };

    /** On a slow machine a service may time out; the sidecar then answers 503 with Retry-After. */
    async function patiently(ask: () => Promise<Response>): Promise<Response> {
      for (let attempt = 0; ; attempt++) {
        const response = await ask();
        if (response.status !== 503 || attempt === 20) return response;
        done.askedAgain++;
        await response.arrayBuffer();
        await sleep(500);
      }
    }

    async function askForToken(turn: number): Promise<void> {
      // Without the client's validation of every answer, which costs more than the answer.
      const headers = {
        "x-gateway-key": gatewayKey,
        "x-service-api-key": stack.environment["SERVICE_API_KEY"]!,
        cookie: `sid=${sessions[turn % sessions.length]}`,
      };
      const response = await patiently(() => fetch(`${balancer.url}/api/auth/jwt`, { headers }));
      const text = await response.text();
      if (response.ok) tokens.add((JSON.parse(text) as { access_token: string }).access_token);
      else refused.push(`token: ${response.status} ${text}`);
      done.tokens++;
    }

    async function query(turn: number): Promise<void> {
      const held = tokens.take(turn);
      if (held === undefined) return;
      const response = await fetch(`${engine.url}/v1/graphql`, {
        method: "POST",
        headers: { authorization: `Bearer ${held.token}`, "content-type": "application/json" },
        body: '{"query":"{ view_hijacks(limit: 1) { key } }"}',
      });
      const text = await response.text();
      if (response.ok && text.startsWith('{"data"')) done.queries++;
      // On a slow machine a token can expire between its selection and its use.
      else if (Date.now() >= held.expires && /expired/i.test(text)) done.expiredOnTheWay++;
      else refused.push(`query: ${response.status} ${text}`);
    }

    await askForToken(0);
    const running = new Set<Promise<void>>();
    const startedAt = performance.now();
    for (let turn = 0; performance.now() - startedAt < seconds * 1000; turn++) {
      const early = startedAt + (turn * 1000) / requestsPerSecond - performance.now();
      if (early > 0) await sleep(early);
      if (running.size >= mostAtOnce) {
        done.leftOut++;
        continue;
      }
      const work = turn % 2 === 0 ? askForToken(turn / 2) : query((turn - 1) / 2);
      const guarded: Promise<void> = work
        .catch((error: unknown) => void refused.push(String(error)))
        .finally(() => running.delete(guarded));
      running.add(guarded);
    }
    await Promise.all(running);
    const elapsed = (performance.now() - startedAt) / 1000;
    const rate = (done.tokens + done.queries) / elapsed;
    const figures = {
      "rotation drill, seconds": Math.round(elapsed),
      "requests a second": Math.round(rate),
      tokens: done.tokens,
      queries: done.queries,
      "keys that signed": tokens.signers.size,
      refused: refused.length,
    };
    keepFigures("rotation-drill", figures);
    console.log(
      `rotation drill: ${done.tokens} tokens and ${done.queries} queries in ${Math.round(elapsed)} s, ${Math.round(rate)} a second, ` +
        `${tokens.signers.size} keys signed, ${refused.length} refused, ${done.expiredOnTheWay} expired on the way, ` +
        `${done.askedAgain} asked again after a 503, ${done.leftOut} turns left out`,
    );
    expect(refused).toEqual([]);
    expect(tokens.signers.size).toBeGreaterThanOrEqual(4);
    expect(done.tokens).toBeGreaterThan(seconds);
    expect(done.queries).toBeGreaterThan(seconds);
    const { rows } = await stack.sql.query("select from auth.audit_events where event = 'key-retired'");
    expect(rows.length).toBeGreaterThanOrEqual(2);
  },
);
