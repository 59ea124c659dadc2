import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  chromiumAbsent,
  chromiumEnvironment,
  chromiumFlags,
  chromiumPath,
  NetworkChanges,
} from "../harness/browser.ts";
import { Member } from "./support/accounts.ts";
import { loadDemo } from "./support/data.ts";
import { loadLines } from "./support/load-lines.ts";
import { data } from "./support/graphql.ts";
import { announcement } from "./support/small-world.ts";
import { stack } from "./support/stack.ts";

const library = dirname(createRequire(import.meta.url).resolve("graphql-ws/client"));

/**
 * WebSockets ignore the context's trust in the certificate. Local Network Access also ignores the page's origin if the page was not
 * loaded from a network.
 */
const forSockets = [
  "--ignore-certificate-errors",
  "--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets",
];

/** State of the subscription in the page's script. */
interface PageState {
  readonly answers: { data?: Record<string, { prefix: string }[]>; errors?: unknown }[];
  readonly closed: { code: number; reason: string } | null;
  /** JSON of the error that ended the client's subscription. */
  readonly error?: string;
}

const networkChanges = new NetworkChanges();

describe("Events: a GraphQL client in a browser", { retry: networkChanges.retry }, () => {
  let browser: Browser | undefined;
  let page: Page;
  let analyst: Member;
  const absent = chromiumAbsent();

  beforeAll(async () => {
    if (absent !== undefined) return;
    await loadDemo();
    analyst = await Member.join("analyst");
    browser = await chromium.launch({
      executablePath: chromiumPath,
      env: chromiumEnvironment(),
      args: [...chromiumFlags, ...forSockets],
    });
  });

  afterAll(() => browser?.close());

  beforeEach(async (context) => {
    if (absent !== undefined) context.skip(absent);
    const fresh = await (browser as Browser).newContext({ ignoreHTTPSErrors: true });
    page = await fresh.newPage();
    networkChanges.watch(page);
    // A page of the API's own origin, with graphql-ws like in its documentation.
    await page.route(`${stack.url}/page`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>client</title>" }),
    );
    await page.route(`${stack.url}/graphql-ws/*`, async (route) => {
      const file = join(library, basename(new URL(route.request().url()).pathname));
      await route.fulfill({ contentType: "text/javascript", body: await readFile(file, "utf8") });
    });
    await page.goto(`${stack.url}/page`);
    return () => fresh.close();
  });

  /** Subscribes in the page with graphql-ws and stores the results in the page. */
  async function subscribe(token: string, query: string): Promise<void> {
    await page.addScriptTag({
      type: "module",
      content: `
        import { createClient } from "/graphql-ws/client.js";
        window.state = { answers: [], closed: null };
        const client = createClient({
          url: location.origin.replace("https:", "wss:") + "/api/graphql",
          connectionParams: { headers: { Authorization: ${JSON.stringify(`Bearer ${token}`)} } },
          retryAttempts: 0,
          on: { closed: ({ code, reason }) => { window.state.closed = { code, reason }; } },
        });
        client.subscribe({ query: ${JSON.stringify(query)} }, {
          next: (answer) => window.state.answers.push(answer),
          error: (error) => { window.state.error = JSON.stringify(error); },
          complete: () => undefined,
        });
      `,
    });
  }

  const state = (): Promise<PageState> => page.evaluate<PageState>("window.state ?? { answers: [], closed: null }");

  test("subscribes over WebSocket with a token in connection_init, and receives a change", async () => {
    const token = await analyst.freshToken();
    const query = "subscription { view_bgpupdates(limit: 1, order_by: {timestamp: desc}) { prefix } }";
    await subscribe(token, query);
    await expect.poll(async () => (await state()).answers.length, { timeout: 30_000 }).toBeGreaterThan(0);
    const now = await data(query.replace("subscription", "query"), { token });
    expect((await state()).answers[0]?.data).toEqual(now);

    const line = announcement({ prefix: "198.18.2.0/24" });
    await loadLines([line.text]);
    await expect
      .poll(async () => JSON.stringify((await state()).answers.at(-1)?.data), { timeout: 30_000 })
      .toContain("198.18.2.0/24");
  });

  test("gets the reason why a hidden column is rejected", async () => {
    const viewer = await Member.join("viewer");
    await subscribe(await viewer.freshToken(), "subscription { view_hijacks(limit: 1) { comment } }");
    await expect
      .poll(async () => (await state()).error, { timeout: 30_000 })
      .toContain("field 'comment' not found in type: 'view_hijacks'");
    expect((await state()).answers).toEqual([]);
  });

  test("with a bad token is closed with a code of the protocol, and hears nothing", async () => {
    await subscribe("nonsense", "subscription { view_hijacks(limit: 1) { key } }");
    await expect.poll(async () => (await state()).closed?.code, { timeout: 30_000 }).toBeGreaterThanOrEqual(4400);
    expect((await state()).answers).toEqual([]);
  });

  test("sends a query with fetch on the same origin", async () => {
    const token = await analyst.freshToken();
    const answer = await page.evaluate<unknown>(
      `fetch("/api/graphql", { method: "POST", headers: { "content-type": "application/json", authorization: ${JSON.stringify(`Bearer ${token}`)} }, body: JSON.stringify({ query: "{ view_bgpupdates(limit: 2) { prefix } }" }) }).then((reply) => reply.json())`,
    );
    expect((answer as { data: { view_bgpupdates: unknown[] } }).data.view_bgpupdates).toHaveLength(2);
  });
});
