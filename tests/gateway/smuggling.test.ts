import { beforeEach, describe, expect, test } from "vitest";
import { statuses } from "../harness/exchange.ts";
import { raw } from "./support/raw.ts";
import { sharedGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeEach(async () => void (parts = await sharedGatewayParts()));

const smuggled = "POST /v1/metadata HTTP/1.1\r\nHost: engine\r\nX-Hasura-Role: admin\r\nContent-Length: 0\r\n\r\n";
const post = "POST /api/graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

/** Spellings of Transfer-Encoding that only one of two parsers may recognise. */
const codings = [
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: chunked;q=1",
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: Chunked",
  "Transfer-Encoding:\x0bchunked",
  "Transfer-Encoding:\x00chunked",
  "X: y\r\n Transfer-Encoding: chunked",
  "X: y\nTransfer-Encoding: chunked",
  "Transfer-Encoding:\r\n chunked",
  "transfer_encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Content-Encoding: chunked",
];

/** Requests whose end two parsers could place differently. */
const ambiguous: Readonly<Record<string, string>> = {
  "both a length and chunks": `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  "chunks and a length": `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${smuggled}`,
  "two lengths": `${post}Content-Length: 2\r\nContent-Length: 100\r\n\r\n{}${smuggled}`,
  "two equal lengths": `${post}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}${smuggled}`,
  "a list of lengths": `${post}Content-Length: 2, 2\r\n\r\n{}${smuggled}`,
  "a negative length": `${post}Content-Length: -1\r\n\r\n{}${smuggled}`,
  "a signed length": `${post}Content-Length: +2\r\n\r\n{}${smuggled}`,
  "a hexadecimal length": `${post}Content-Length: 0x2\r\n\r\n{}${smuggled}`,
  "an overflowing length": `${post}Content-Length: 18446744073709551618\r\n\r\n{}${smuggled}`,
  "an unknown coding": `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  "identity after chunked": `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
  "two codings": `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  "a coding with a control character": `${post}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n${smuggled}`,
  "a space before the colon": `${post}Content-Length : 2\r\n\r\n{}${smuggled}`,
  "a folded header": `${post}X-Folded: a\r\n Content-Length: 2\r\n\r\n${smuggled}`,
  "a chunk size beyond 64 bits": `${post}Transfer-Encoding: chunked\r\n\r\n10000000000000002\r\n{}\r\n0\r\n\r\n${smuggled}`,
  "an invalid chunk size": `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${smuggled}`,
  "chunks in HTTP/1.0": `${post.replace("HTTP/1.1", "HTTP/1.0")}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  "a bare carriage return in a header": `${post}X-A: b\rContent-Length: 2\r\n\r\n{}${smuggled}`,
  "a NUL in a header": `${post}X-A: b\x00\r\nContent-Length: 2\r\n\r\n{}${smuggled}`,
  "no host": "POST /api/graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
  "two hosts": `${post}Host: b\r\nContent-Length: 2\r\n\r\n{}`,
};

async function expectOneAtMost(bytes: string): Promise<void> {
  const reply = await raw(parts.gateway, bytes);
  const received = await parts.engine.received();
  for (const entry of received) {
    expect([entry.method, entry.target]).toEqual(["POST", "/v1/graphql"]);
    expect(entry.headers).not.toHaveProperty("x-hasura-role");
    expect(Number(entry.headers["content-length"] ?? "0")).toBe(entry.body.length);
  }
  expect(received.length).toBeLessThanOrEqual(1);
  // The rest of the connection is at most a separate request to the gateway, which has no such path.
  for (const status of statuses(reply)) expect(status).toBeOneOf([200, 400, 404]);
}

test.each(Object.entries(ambiguous))("a request with %s never reaches the engine as two", (_, bytes) =>
  expectOneAtMost(bytes),
);

describe.each(codings)("the coding %j", (coding) => {
  test.each([
    [
      "a length beyond the chunks",
      `${post}Content-Length: ${smuggled.length + 5}\r\n${coding}\r\n\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      "a length before their end",
      `${post}Content-Length: 4\r\n${coding}\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    ],
    ["no body by its length", `${post}${coding}\r\nContent-Length: 0\r\n\r\n${smuggled}`],
  ])("never hides a second request behind %s", (_, bytes) => expectOneAtMost(bytes));
});

test.each(Object.keys(ambiguous).filter((name) => !/folded|space before|bare carriage/.test(name)))(
  "rejects a request with %s with 400",
  async (name) => {
    expect(statuses(await raw(parts.gateway, ambiguous[name] ?? ""))[0]).toBe(400);
    expect(await parts.engine.received()).toEqual([]);
  },
);

test("two requests in one packet are two requests to the engine", async () => {
  const one = `${post}Content-Length: 2\r\n\r\n{}`;
  const last = `${post}Connection: close\r\nContent-Length: 2\r\n\r\n{}`;
  expect(statuses(await raw(parts.gateway, one + last))).toEqual([200, 200]);
  expect(await parts.engine.received()).toHaveLength(2);
});

test("a chunked body reaches the engine whole, with its length", async () => {
  await raw(
    parts.gateway,
    `${post}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1;extension=1\r\n}\r\n0\r\nX-Hasura-Role: admin\r\n\r\n`,
  );
  const [entry] = await parts.engine.received();
  expect([
    entry?.body,
    entry?.headers["content-length"],
    entry?.headers["transfer-encoding"],
    entry?.headers["x-hasura-role"],
  ]).toEqual(["{}", "2", undefined, undefined]);
});

test("a header value cannot carry a second header to the engine", async () => {
  await raw(parts.gateway, `${post}Authorization: Bearer a\nX-Hasura-Role: admin\r\nContent-Length: 2\r\n\r\n{}`);
  for (const entry of await parts.engine.received()) expect(entry.headers).not.toHaveProperty("x-hasura-role");
});
