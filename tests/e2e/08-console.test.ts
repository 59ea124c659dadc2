import { type Browser, chromium, type Page } from "playwright-core";
import { request } from "undici";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { chromiumAbsent, chromiumFlags, chromiumPath } from "../harness/browser.ts";
import { loadDemo } from "./support/data.ts";
import { call, dispatcher } from "./support/http.ts";
import { headersOf, master } from "./support/graphql.ts";
import { stack } from "./support/stack.ts";

describe("Console (optional)", () => {
  test("1, 2: with ENGINE_CONSOLE=true the console is served on its own TLS listener, which carries the API too", async () => {
    const page = await call("/", { base: stack.consoleUrl });
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    const api = await call("/api/graphql", { base: stack.consoleUrl, method: "POST", headers: headersOf(master), body: { query: "{ __typename }" } });
    expect(api.json()).toEqual({ data: { __typename: "query_root" } });
  });

  test("2: the API's own listener does not carry the console", async () => {
    const page = await call("/");
    expect(page.status).toBe(404);
    expect(page.json()).toMatchObject({ code: "not-found" });
  });

  test("the page refers to nothing outside of itself", async () => {
    const { text } = await call("/", { base: stack.consoleUrl });
    expect(text).not.toMatch(/(?:src|href)\s*=\s*["']?(?:https?:)?\/\//i);
    expect(text).not.toMatch(/url\(["']?(?:https?:)?\/\//i);
    expect(text).not.toContain(stack.engineAccessKey);
  });

  describe("3: the proxy compresses text, JavaScript and JSON responses", () => {
    beforeAll(() => loadDemo());

    const large = "{ view_bgpupdates(limit: 100) { prefix as_path timestamp service } }";
    const tiny = "{ __typename }";

    test.each([
      ["a large JSON answer when asked", large, "gzip", "gzip"],
      ["a large JSON answer when asked among others", large, "br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip"],
      ["no large JSON answer when not asked", large, "identity", undefined],
      ["no tiny JSON answer", tiny, "gzip", undefined],
    ])("%s", async (_, query, accepted, encoding) => {
      for (const base of [stack.url, stack.consoleUrl]) {
        const { headers, body } = await request(new URL("/api/graphql", base), {
          method: "POST",
          headers: { "content-type": "application/json", "accept-encoding": accepted, ...headersOf(master) },
          body: JSON.stringify({ query }),
          dispatcher,
        });
        await body.dump();
        expect(headers["content-encoding"]).toBe(encoding);
        if (encoding !== undefined) expect(headers["vary"]).toMatch(/accept-encoding/i);
      }
    });

    test("the console's page when asked, once and not twice", async () => {
      const { headers, body } = await request(new URL("/", stack.consoleUrl), { headers: { "accept-encoding": "gzip" }, dispatcher });
      const bytes = Buffer.from(await body.arrayBuffer());
      expect(headers["content-encoding"]).toBe("gzip");
      const page = new TextDecoder().decode(await gunzip(bytes));
      expect(page).toMatch(/<html/i);
    });
  });

  // Chromium drops every connection when any network interface of the machine comes or goes (ERR_NETWORK_CHANGED), as Docker's do.
  describe("4: the console prompts for the master access key, in a browser", { retry: 3 }, () => {
    let browser: Browser | undefined;
    let page: Page;
    const absent = chromiumAbsent();

    beforeAll(async () => {
      if (absent === undefined) browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumFlags] });
    });

    afterAll(() => browser?.close());

    beforeEach(async (context) => {
      if (absent !== undefined) context.skip(absent);
      const fresh = await (browser as Browser).newContext({ ignoreHTTPSErrors: true });
      page = await fresh.newPage();
      return () => fresh.close();
    });

    test("the page asks for the key and shows nothing to run before it", async () => {
      await page.goto(stack.consoleUrl);
      await page.locator("#master-key").waitFor({ state: "visible" });
      expect(await page.locator("#master-key").getAttribute("type")).toBe("password");
      expect(await page.locator("#run").isVisible()).toBe(false);
      expect(await page.locator("#query").isVisible()).toBe(false);
    });

    test("a wrong key is refused", async () => {
      await page.goto(stack.consoleUrl);
      await page.locator("#master-key").fill("not the master key");
      await page.locator("#unlock").click();
      await page.locator("#error").waitFor({ state: "visible" });
      expect((await page.locator("#error").textContent())?.trim()).not.toBe("");
      expect(await page.locator("#run").isVisible()).toBe(false);
    });

    test("the right key runs a query, with nothing asked of any other address", async () => {
      const outside: string[] = [];
      page.on("request", (asked) => {
        if (!asked.url().startsWith(stack.consoleUrl) && !asked.url().startsWith("data:")) outside.push(asked.url());
      });
      await page.goto(stack.consoleUrl);
      await page.locator("#master-key").fill(stack.engineAccessKey);
      await page.locator("#unlock").click();
      await page.locator("#query").waitFor({ state: "visible" });
      await page.locator("#query").fill("query ($n: Int!) { view_bgpupdates(limit: $n, order_by: {timestamp: desc}) { prefix timestamp } }");
      await page.locator("#variables").fill('{"n": 2}');
      await page.locator("#run").click();
      await page.locator("#result", { hasText: "view_bgpupdates" }).waitFor();
      const result = JSON.parse((await page.locator("#result").textContent()) as string) as { data: { view_bgpupdates: unknown[] } };
      expect(result.data.view_bgpupdates).toHaveLength(2);
      expect(outside).toEqual([]);
    });

    test("the key is not kept: after a reload the page asks again", async () => {
      await page.goto(stack.consoleUrl);
      await page.locator("#master-key").fill(stack.engineAccessKey);
      await page.locator("#unlock").click();
      await page.locator("#query").waitFor({ state: "visible" });
      expect(await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")).not.toContain(stack.engineAccessKey);
      await page.reload();
      await page.locator("#master-key").waitFor({ state: "visible" });
      expect(await page.locator("#master-key").inputValue()).toBe("");
    });
  });
});

async function gunzip(bytes: Buffer): Promise<ArrayBuffer> {
  return new Response(new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
