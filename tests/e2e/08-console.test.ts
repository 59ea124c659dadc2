import { request } from "undici";
import { beforeAll, describe, expect, test } from "vitest";
import { loadDemo } from "./support/data/data.ts";
import { call, dispatcher } from "./support/clients/http.ts";
import { headersOf, master } from "./support/clients/graphql.ts";
import { stack } from "./support/stack/stack.ts";

/** 17-console-in-a-browser.test.ts covers the requirements of section 4 that need a browser. */
describe("Console (optional)", () => {
  test("1, 2: with ENGINE_CONSOLE=true the console has its own TLS listener with the API", async () => {
    const page = await call("/", { base: stack.consoleUrl });
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    const api = await call("/api/graphql", {
      base: stack.consoleUrl,
      method: "POST",
      headers: headersOf(master),
      body: { query: "{ __typename }" },
    });
    expect(api.json()).toEqual({ data: { __typename: "query_root" } });
  });

  test("2: the API's own listener does not serve the console", async () => {
    const page = await call("/");
    expect(page.status).toBe(404);
    expect(page.json()).toMatchObject({ code: "not-found" });
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

    test("the console's page when asked, only once", async () => {
      const { headers, body } = await request(new URL("/", stack.consoleUrl), {
        headers: { "accept-encoding": "gzip" },
        dispatcher,
      });
      const bytes = Buffer.from(await body.arrayBuffer());
      expect(headers["content-encoding"]).toBe("gzip");
      const page = new TextDecoder().decode(await gunzip(bytes));
      expect(page).toMatch(/<html/i);
    });
  });
});

async function gunzip(bytes: Buffer): Promise<ArrayBuffer> {
  return new Response(
    new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream("gzip")),
  ).arrayBuffer();
}
