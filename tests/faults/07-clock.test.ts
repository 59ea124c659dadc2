import { Redis } from "ioredis";
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { Client } from "../auth-sidecar/client.ts";
import { type RunningSidecar, Stack, type TestUser } from "../auth-sidecar/stack.ts";
import { AuthSidecarContainer } from "../harness/containers/auth-sidecar-container.ts";
import { DatabaseContainer, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { EngineContainer } from "../harness/containers/engine-container.ts";
import { image } from "../harness/containers/image.ts";
import { SessionsContainer, type StartedSessionsContainer } from "../harness/containers/sessions-container.ts";
import { TestNetwork } from "../harness/docker/test-network.ts";
import { countFault } from "./support/figures.ts";
import { imageWithClock, setClock } from "./support/wrong-clock.ts";
import type { StartedServiceContainer } from "../harness/containers/service-container.ts";

const hour = 3600;
const day = 24 * hour;

describe("the clock of the engine jumps", () => {
  let network: TestNetwork;
  let database: StartedDatabaseContainer;
  let sessions: StartedSessionsContainer;
  let sidecar: StartedServiceContainer;
  let engine: StartedServiceContainer;
  let client: Client;

  beforeAll(async () => {
    const engineImage = await imageWithClock("engine", 10_102);
    network = await TestNetwork.create();
    [database, sessions] = await Promise.all([
      new DatabaseContainer(await image("database")).withNetworkMode(network.name).start(),
      new SessionsContainer(await image("sessions")).withNetworkMode(network.name).start(),
    ]);
    sidecar = await new AuthSidecarContainer(await image("auth-sidecar"))
      .withNetworkMode(network.name)
      .withDatabase(database)
      .withSessions(sessions)
      .start();
    engine = await new EngineContainer(engineImage)
      .withNetworkMode(network.name)
      .withDatabase(database)
      .withJwtSecret({ jwk_url: "http://auth-sidecar:8080/jwks", issuer: "routeql", audience: "routeql" })
      .start();
    client = new Client(sidecar.getUrl(), sidecar.getSecret("SERVICE_API_KEY"));
  });

  afterAll(async () => {
    await Promise.all([engine, sidecar, database, sessions].map((container) => container.stop()));
    await network[Symbol.asyncDispose]();
  });

  afterEach(async () => {
    await setClock(engine, engine.getUrl(), 0);
    countFault({ requests: 6, wrong: 0, lost: 0, recovered: 0, longest: 0 });
  });

  const logIn = (): Promise<string> => client.session("admin@example.net", sidecar.getSecret("ADMIN_PASSWORD"));

  async function tokenOf(session: string): Promise<string> {
    const { status, body } = await client.token(session);
    expect(status).toBe(200);
    return (body as { access_token: string }).access_token;
  }

  /** `served`, or the message of the rejection. */
  async function queried(token: string): Promise<string> {
    const response = await fetch(`${engine.getUrl()}/v1/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: "{ view_hijacks(limit: 1) { key } }" }),
    });
    const body = (await response.json()) as {
      data?: unknown;
      errors?: { message: string; extensions: { code: string } }[];
    };
    if (body.data !== undefined) return "served";
    expect(body.errors?.[0]?.extensions.code).toBe("invalid-jwt");
    return body.errors?.[0]?.message as string;
  }

  test("by an hour forwards: rejects an expired token and accepts it with the right clock", async () => {
    const token = await tokenOf(await logIn());
    expect(await queried(token)).toBe("served");
    await setClock(engine, engine.getUrl(), hour);
    expect(await queried(token)).toBe("Could not verify JWT: JWTExpired");
    await setClock(engine, engine.getUrl(), 0);
    expect(await queried(token)).toBe("served");
  });

  test("by an hour backwards: rejects a future token and accepts it with the right clock", async () => {
    const token = await tokenOf(await logIn());
    await setClock(engine, engine.getUrl(), -hour);
    expect(await queried(token)).toMatch(/^Could not verify JWT: /);
    await setClock(engine, engine.getUrl(), 0);
    expect(await queried(token)).toBe("served");
  });
});

/** In this process the Date can be set while timers continue, like a clock step. */
describe("the clock of a sidecar jumps", () => {
  let stack: Stack;
  let running: RunningSidecar;
  let user: TestUser;
  const rightNow = Date.now;

  beforeAll(async () => {
    stack = await Stack.start();
    running = await stack.sidecar({ KEY_REFRESH_SECONDS: "1", JWKS_MAX_AGE_SECONDS: "1" });
    user = await stack.addUser();
  });

  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await stack[Symbol.asyncDispose]();
  });

  afterEach(() => {
    vi.useRealTimers();
    countFault({ requests: 6, wrong: 0, lost: 0, recovered: 0, longest: 0 });
  });

  const jump = (seconds: number): unknown => vi.useFakeTimers({ toFake: ["Date"], now: rightNow() + seconds * 1000 });
  const logIn = (): Promise<string> => running.client.session(user.email, user.password);

  async function tokenOf(session: string): Promise<string> {
    const { status, body } = await running.client.token(session);
    expect(status).toBe(200);
    return (body as { access_token: string }).access_token;
  }

  /** Verdict of a verifier with a correct clock on a token: `taken`, or the code of its rejection. */
  async function verified(token: string): Promise<string> {
    const { body } = await running.client.call("GET", "/jwks");
    const keys = createLocalJWKSet(body as JSONWebKeySet);
    return jwtVerify(token, keys, { issuer: "routeql", audience: "routeql", currentDate: new Date(rightNow()) }).then(
      () => "taken",
      (error: { code?: string; claim?: string }) => `${error.code} ${error.claim}`,
    );
  }

  test("by an hour forward: its tokens are not valid yet, and sessions survive", async () => {
    const session = await logIn();
    jump(hour);
    expect(await verified(await tokenOf(session))).toBe("ERR_JWT_CLAIM_VALIDATION_FAILED nbf");
    jump(0);
    expect(await verified(await tokenOf(session))).toBe("taken");
  });

  test("by an hour backward: its tokens expire early; sessions survive", async () => {
    const session = await logIn();
    jump(-hour);
    expect(await verified(await tokenOf(session))).toBe("ERR_JWT_EXPIRED exp");
    jump(0);
    expect(await verified(await tokenOf(session))).toBe("taken");
  });

  test("by nine hours forward and back: the session store keeps a session's limits", async () => {
    const session = await logIn();
    const limit = await millisecondsLeft();
    jump(9 * hour);
    expect((await running.client.token(session)).status).toBe(200);
    jump(0);
    expect((await running.client.token(session)).status).toBe(200);
    expect(await millisecondsLeft()).toBeLessThanOrEqual(limit + 60_000);
  });

  test("survives a clock jump of 40 days forward and back", async () => {
    const before = await tokenOf(await logIn());
    jump(40 * day);
    await expect.poll(async () => (await logIn()).length).toBeGreaterThan(0);
    await new Promise((settle) => setTimeout(settle, 2500));
    jump(0);
    expect(await verified(before)).toBe("taken");
    expect(await verified(await tokenOf(await logIn()))).toBe("taken");
  });

  /** Longest remaining time without use of any session in the store. */
  async function millisecondsLeft(): Promise<number> {
    const redis = new Redis(stack.sessions.getControlUri());
    try {
      const lives = await Promise.all((await redis.keys("*")).map((key) => redis.pttl(key)));
      return Math.max(...lives);
    } finally {
      redis.disconnect();
    }
  }
});
