import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { RunningServed } from "./engines.ts";
import { replyOf, Unanswered } from "./served.ts";

test.each(["busy", "postgres-max-connections-error", "timeout"])(
  "a failure with the code %s is no refusal of a permission",
  (code) => {
    const text = JSON.stringify({ errors: [{ message: "try again later", extensions: { path: "$", code } }] });
    expect(() => replyOf(text)).toThrow(Unanswered);
  },
);

describe("a running engine", () => {
  /** The reply to every request. */
  async function answering(status: number, body: string) {
    const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/graphql`);
    const engine = { url, header: "x-hasura-admin-secret", secret: "s", timeout: 5_000, disposable: undefined };
    const served = new RunningServed(engine, { tables: new Map() } as never, { rows: () => Promise.resolve([]) });
    return { url, served, [Symbol.dispose]: () => server.close() };
  }

  test.each([
    ["JSON of a gateway", 503, '{"error":"The service is restarting.","code":"unavailable"}'],
    ["a page of a gateway", 502, "<html></html>"],
    ["JSON that ends early", 200, '{"data":{"note":[{"id":'],
  ])("has no rows to compare when it answers with %s", async (_what, status, body) => {
    using running = await answering(status, body);
    await expect(running.served.ask("reader", {}, "query { note { id } }")).rejects.toThrow(
      new Unanswered(`${running.url.href} answered ${String(status)} without GraphQL`),
    );
  });

  test("is read with every digit of a number", async () => {
    using running = await answering(200, '{"data":{"note":[{"id":9007199254740993}]}}');
    const { data } = await running.served.ask("reader", {}, "query { note { id } }");
    expect(data).toEqual({ note: [{ id: "#9007199254740993" }] });
  });
});
