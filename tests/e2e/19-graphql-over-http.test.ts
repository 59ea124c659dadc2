import { serverAudits } from "graphql-http";
import { fetch, type RequestInit } from "undici";
import { describe, expect, test } from "vitest";
import { isBareHasura } from "./support/stack/engine-of-the-run.ts";
import { dispatcher } from "./support/clients/http.ts";
import { headersOf, master } from "./support/clients/graphql.ts";
import { stack } from "./support/stack/stack.ts";

/** Sends the request unchanged, with the master key. fetch must not add a type to a string body without one. */
const fetchFn = (url: string, { headers, body, ...rest }: RequestInit = {}) =>
  fetch(url, {
    ...rest,
    body: typeof body === "string" ? Buffer.from(body) : body,
    headers: { ...(headers as Record<string, string>), ...headersOf(master) },
    dispatcher,
  });

describe("GraphQL over HTTP: the audits of graphql-http", () => {
  test("find no error and no warning", async (context) => {
    context.skip(isBareHasura, "Hasura v2 does not support application/graphql-response+json");
    const audits = serverAudits({ url: `${stack.url}/api/graphql`, fetchFn });
    const found: string[] = [];
    for (const audit of audits) {
      const result = await audit.fn();
      if (result.status === "error" || result.status === "warn")
        found.push(`${result.status} ${result.name}: ${result.reason}`);
    }
    expect(audits.length).toBeGreaterThan(50);
    expect(found).toEqual([]);
  });
});
