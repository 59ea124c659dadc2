/** The samples of live queries in Node, while the service is too busy for them. */
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { repeatableRandom, SimulatedService } from "./support/simulated-service.ts";

const busy = (): Response =>
  Response.json(
    { errors: [{ message: "busy", extensions: { code: "busy" } }] },
    { status: 503, headers: { "retry-after": "1" } },
  );

let service: SimulatedService;
let printed: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") });
  repeatableRandom();
  service = new SimulatedService();
  printed = [];
  vi.stubGlobal("WebSocket", service.socketClass());
  const answers = [busy];
  vi.stubGlobal("fetch", async (url: string | URL) =>
    String(url).endsWith("/jwt/auth")
      ? service.login()
      : (answers.shift()?.() ?? Response.json({ data: { view_hijacks: [] } })),
  );
  for (const output of ["log", "error", "warn"] as const)
    vi.spyOn(console, output).mockImplementation((...texts) => void printed.push(texts.join(" ")));
  vi.stubEnv("ROUTEQL_URL", "https://localhost");
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const pass = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(seconds * 1000);

test.each(["live.mjs", "apollo.mjs", "urql.mjs", "flags.mjs"])(
  "%s continues after busy",
  { timeout: 120_000 },
  async (sample) => {
    service.isBusy = true;
    // A sample that follows a subscription to its end never returns.
    const ended = import(resolve(import.meta.dirname, "../../docs/clients/samples", sample)).catch(
      (error: unknown) => void printed.push(`ended: ${String(error)} ${JSON.stringify(error)}`),
    );
    // Modules are read in real time, and a busy query is repeated after seconds.
    await vi.waitFor(
      async () => {
        await pass(0.2);
        expect(service.sockets.size, printed.join()).toBeGreaterThan(0);
      },
      { timeout: 60_000, interval: 20 },
    );
    await pass(60);
    expect(printed.join("\n")).not.toContain("busy");
    service.isBusy = false;
    await pass(60);
    expect(printed.join("\n")).toContain('"prefix":"198.18.');
    if (sample === "flags.mjs") await ended;
  },
);
