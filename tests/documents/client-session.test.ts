/** The modules that keep a page's session and its stream, in the console and in the samples. */
import { createClient } from "graphql-ws";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createSession,
  lastingClient,
  LoginDelayed,
  LoginRefused,
  passwordLogin,
} from "@routeql/console/client-session";
import { followStream } from "@routeql/console/client-stream";
import { repeatableRandom, type Row, SimulatedService } from "./support/simulated-service.ts";

const minute = 60_000;
const query = "subscription ($from: bigint!) { view_bgpupdates_log_stream { position prefix } }";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") });
  repeatableRandom();
});
afterEach(() => void vi.useRealTimers());

const tokenOf = (name: string, seconds = 900): string =>
  `e30.${btoa(JSON.stringify({ iat: 0, exp: seconds, jti: name }))}.s`;

const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

describe("a session", () => {
  test("logs in once for all requests, and again before the token ends", async () => {
    const logIn = vi.fn<() => Promise<string>>();
    logIn.mockResolvedValueOnce(tokenOf("a")).mockResolvedValueOnce(tokenOf("b"));
    const session = createSession(logIn);
    expect(await Promise.all([session.accessToken(), session.accessToken()])).toEqual([tokenOf("a"), tokenOf("a")]);
    await pass(12 * minute);
    expect(await session.accessToken()).toBe(tokenOf("a"));
    await pass(2 * minute + 1000);
    expect(await session.accessToken()).toBe(tokenOf("b"));
    expect(logIn).toHaveBeenCalledTimes(2);
  });

  test("waits at least for Retry-After, and longer after each failure", async () => {
    const times: number[] = [];
    const session = createSession(async () => {
      times.push(Date.now());
      if (times.length < 6) throw new LoginDelayed("busy", 7);
      return tokenOf("a");
    });
    const token = session.accessToken();
    await pass(5 * minute);
    expect(await token).toBe(tokenOf("a"));
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    for (const [index, length] of pauses.entries()) {
      expect(length).toBeGreaterThanOrEqual(7000);
      expect(length).toBeLessThanOrEqual(7000 + 1000 * Math.min(30, 2 ** (index + 1)));
    }
    expect(new Set(pauses).size).toBe(5);
  });

  test("renews without a pause after failures that ended", async () => {
    let failures = 5;
    const session = createSession(async () => {
      if (failures > 0) throw new LoginDelayed(`busy ${failures--}`, 0);
      return tokenOf(String(Date.now()));
    });
    const first = session.accessToken();
    await pass(5 * minute);
    const ended = await first;
    await pass(14 * minute);
    const second = session.accessToken();
    await pass(0);
    expect(await Promise.race([second, Promise.resolve("waits")])).not.toBe("waits");
    expect(await second).not.toBe(ended);
  });

  test("stops when the server refuses the login", async () => {
    const logIn = vi.fn<() => Promise<string>>().mockRejectedValue(new LoginRefused("wrong"));
    const session = createSession(logIn);
    await expect(session.accessToken()).rejects.toThrow("wrong");
    await expect(session.accessToken()).rejects.toThrow("wrong");
    expect(logIn).toHaveBeenCalledTimes(1);
  });

  test("repeats a request with a new token after invalid-jwt, and once only", async () => {
    const logIn = vi.fn<() => Promise<string>>();
    for (const name of ["a", "b", "c"]) logIn.mockResolvedValueOnce(tokenOf(name));
    const session = createSession(logIn);
    const used: unknown[] = [];
    const answers = [{ errors: [{ extensions: { code: "invalid-jwt" } }] }, { data: 1 }];
    vi.stubGlobal("fetch", async (_input: unknown, init: RequestInit) => {
      used.push(new Headers(init.headers).get("authorization"));
      return Response.json(answers[used.length - 1] ?? answers[0]);
    });
    const first = session.fetch("/api/graphql", { method: "POST" });
    await pass(10_000);
    expect(await (await first).json()).toEqual({ data: 1 });
    expect(used).toEqual([`Bearer ${tokenOf("a")}`, `Bearer ${tokenOf("b")}`]);
    const second = session.fetch("/api/graphql", { method: "POST" });
    await pass(60_000);
    expect(await (await second).json()).toEqual(answers[0]);
    expect(used).toHaveLength(4);
  });

  describe("a request that the server is too busy for", () => {
    const busy = () =>
      Response.json({ errors: [{ extensions: { code: "busy" } }] }, { status: 503, headers: { "retry-after": "2" } });
    const throttled = () =>
      Response.json({ error: "why", code: "too-many-requests" }, { status: 429, headers: { "retry-after": "1" } });
    const found = () => Response.json({ data: 1 });
    const unavailable = () => Response.json({ error: "why", code: "unavailable" }, { status: 503 });

    /** Requests until the answer, and the answer's status. */
    async function ask(answers: readonly (() => Response)[], init: RequestInit = {}) {
      const session = createSession(async () => tokenOf("a"));
      const times: number[] = [];
      vi.stubGlobal("fetch", async () => {
        times.push(Date.now());
        return (answers[times.length - 1] ?? busy)();
      });
      const answer = session.fetch("/api/graphql", { method: "POST", ...init });
      const settled = answer.then(
        ({ status }) => status,
        (error: unknown) => error,
      );
      await pass(2 * minute);
      return { times, settled: await settled };
    }

    test("is repeated after Retry-After", async () => {
      const { times, settled } = await ask([busy, throttled, found]);
      expect(settled).toBe(200);
      expect(times).toHaveLength(3);
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(2000);
      expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(1000);
    });

    test("gets the error after two repetitions", async () => {
      const { times, settled } = await ask([]);
      expect([times.length, settled]).toEqual([3, 503]);
    });

    test("is not repeated after its page gave it up", async () => {
      const { times, settled } = await ask([], { signal: AbortSignal.abort(new Error("left")) });
      expect([times.length, settled]).toEqual([1, new Error("left")]);
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(new Error("left later")), 1000);
      const later = await ask([], { signal: leaving.signal });
      expect([later.times.length, later.settled]).toEqual([1, new Error("left later")]);
    });

    test("is repeated only if nothing of it was executed", async () => {
      const { times, settled } = await ask([unavailable]);
      expect([times.length, settled]).toEqual([1, 503]);
    });
  });

  test.each([
    [429, LoginDelayed],
    [503, LoginDelayed],
    [401, LoginRefused],
    [400, LoginRefused],
  ])("a login with status %i throws the right error", async (status, kind) => {
    vi.stubGlobal("fetch", async () => Response.json({ error: "why" }, { status, headers: { "retry-after": "3" } }));
    const attempt = passwordLogin("https://localhost", "a", "b")();
    await expect(attempt).rejects.toBeInstanceOf(kind);
    await expect(attempt).rejects.toThrow("why");
  });
});

test("a client without a session, as with the master key, notices a network that disappeared", async () => {
  const service = new SimulatedService();
  const login = service.login();
  await pass(100);
  const { access_token: token } = (await (await login).json()) as { access_token: string };
  const closed: unknown[] = [];
  let last: Row | undefined;
  const client = lastingClient((options) => createClient({ ...options, webSocketImpl: service.socketClass() }), {
    url: "wss://localhost/api/graphql",
    connectionParams: { headers: { Authorization: `Bearer ${token}` } },
    on: { closed: (event) => closed.push((event as CloseEvent).code) },
  });
  client.subscribe(
    { query },
    {
      next: ({ data }) => (last = (Object.values(data ?? {})[0] as Row[]).at(-1)),
      error: () => expect.unreachable("the subscription ended"),
      complete: () => undefined,
    },
  );
  await pass(minute);
  service.isNetworkAway = true;
  await pass(30_000);
  expect(closed[0]).toBe(4499);
  service.isNetworkAway = false;
  await pass(minute + 1000);
  expect(last).toEqual(service.rows.at(-1));
});

interface Page {
  readonly rows: Row[];
  lastAt: number;
  longestSilence: number;
  /** Errors that ended the stream. */
  readonly errors: unknown[];
  interruptions: number;
}

/** A page of the simulated service that follows its stream. */
function open(service: SimulatedService): Page {
  const session = createSession(passwordLogin("https://localhost", "user", "password"));
  const client = session.connect(
    (options) => createClient({ ...options, webSocketImpl: service.socketClass() }),
    "wss://localhost/api/graphql",
  );
  const page: Page = { rows: [], lastAt: Date.now(), longestSilence: 0, errors: [], interruptions: 0 };
  followStream<Row>(
    client,
    { query },
    {
      row: (row) => {
        page.longestSilence = Math.max(page.longestSilence, Date.now() - page.lastAt);
        page.lastAt = Date.now();
        page.rows.push(row);
      },
      error: (reason, isFinal) => {
        if (isFinal) page.errors.push(reason);
        else page.interruptions += 1;
      },
    },
  );
  return page;
}

test.each(["when it hears the error", "while it waits"])(
  "a page that ends its busy stream %s gets no other",
  async (when) => {
    const service = new SimulatedService();
    vi.stubGlobal("fetch", () => service.login());
    const session = createSession(passwordLogin("https://localhost", "user", "password"));
    const client = session.connect(
      (options) => createClient({ ...options, webSocketImpl: service.socketClass() }),
      "wss://localhost/api/graphql",
    );
    const heard: unknown[] = [];
    const end = followStream<Row>(
      client,
      { query },
      {
        row: (row) => heard.push(row),
        error: (reason) => {
          heard.push(reason);
          if (when === "when it hears the error") end();
        },
      },
    );
    service.isBusy = true;
    await pass(500);
    expect(heard).toHaveLength(1);
    service.isBusy = false;
    if (when === "while it waits") end();
    await pass(minute);
    expect(heard).toHaveLength(1);
  },
);

describe("60 pages behind one address, through an hour of faults", () => {
  test("lose no subscription for five minutes, and neither lose nor repeat a row", { timeout: 60_000 }, async () => {
    const service = new SimulatedService();
    vi.stubGlobal("fetch", () => service.login());
    const pages = Array.from({ length: 60 }, () => open(service));
    await pass(8 * minute);
    // The gateway is reloaded.
    service.closeAll(1006);
    await pass(2 * minute);
    service.isBusy = true;
    await pass(minute);
    service.isBusy = false;
    await pass(minute);
    // The engine is replaced: connections fail for half a minute.
    service.isDown = true;
    service.closeAll(1012);
    await pass(minute / 2);
    service.isDown = false;
    // All tokens end meanwhile.
    await pass(12 * minute);
    // A retired key ends all connections at once.
    service.key = 2;
    await pass(10 * minute);
    service.isNetworkAway = true;
    await pass(minute);
    service.isNetworkAway = false;
    await pass(10 * minute);
    service.key = 3;
    await pass(14 * minute + 1000);
    expect(service.rows.length).toBeGreaterThan(700);
    expect(service.throttled).toBeGreaterThan(0);
    for (const page of pages) {
      expect(page.errors).toEqual([]);
      expect(page.interruptions).toBeGreaterThan(0);
      expect(page.rows).toEqual(service.rows);
      expect(page.longestSilence).toBeLessThan(5 * minute);
      expect(Date.now() - page.lastAt).toBeLessThan(minute);
    }
    // The crowd at the login stays small: a login for each token's life and each withdrawal.
    expect(service.logins).toBeLessThan(60 * 9);
  });
});
