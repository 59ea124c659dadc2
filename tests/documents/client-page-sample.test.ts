/** The page of the sample for browsers, through bad moments of the service. */
import { resolve } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { repeatableRandom, SimulatedService } from "./support/simulated-service.ts";

const sample = resolve(import.meta.dirname, "../../docs/clients/samples/browser/main.js");
let service: SimulatedService;
let elements: Record<"login" | "status" | "updates", { textContent: string; hidden: boolean; rows: readonly string[] }>;
let submit: () => void;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") });
  repeatableRandom();
  service = new SimulatedService();
  vi.stubGlobal("fetch", () => service.login());
  vi.stubGlobal("WebSocket", service.socketClass());
  vi.stubGlobal("FormData", function formData() {
    return [];
  });
  const element = () => ({
    textContent: "",
    hidden: false,
    rows: [] as readonly string[],
    addEventListener: (_: string, listener: (event: object) => void) =>
      (submit = () => listener({ preventDefault: () => undefined })),
    replaceChildren(...items: readonly { textContent: string }[]) {
      this.rows = items.map(({ textContent }) => textContent);
    },
  });
  elements = { login: element(), status: element(), updates: element() };
  vi.stubGlobal("document", {
    querySelector: (selector: string) => elements[selector.slice(1) as keyof typeof elements],
    createElement: element,
  });
  vi.resetModules();
  await import(sample);
  submit();
  await pass(12);
  expectPresentState();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(seconds * 1000);

function expectPresentState(): void {
  const { login, status, updates } = elements;
  expect([login.hidden, status.textContent]).toEqual([true, "live"]);
  expect(updates.rows.at(-1)).toContain(service.rows.at(-1)?.prefix);
}

test.each([
  ["isBusy", "trying again: busy"],
  ["isWithoutDatabase", "connection error"],
  ["isDown", "connecting again after 1006 "],
  ["isNetworkAway", "connecting again after 1006 "],
] as const)("shows the present state after a minute of %s, and meanwhile that it is old", async (fault, words) => {
  service[fault] = true;
  if (fault === "isDown") service.closeAll(1012);
  await pass(60);
  expect(elements.status.textContent).toBe(words);
  service[fault] = false;
  await pass(60);
  expectPresentState();
});

test("shows the present state after a retired key", async () => {
  service.key = 2;
  await pass(60);
  expectPresentState();
});

test("shows the form and the reason of a refused login", async () => {
  vi.stubGlobal("fetch", async () => Response.json({ error: "wrong credentials" }, { status: 401 }));
  service.key = 2;
  await pass(60);
  expect([elements.login.hidden, elements.status.textContent]).toEqual([
    false,
    "ended: The login failed with status 401: wrong credentials",
  ]);
});
