import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { paths } from "@routeql/contract/paths";
import { stack } from "../e2e/support/stack/stack.ts";
import { statuses } from "../harness/exchange.ts";
import { type Attack, attacks, notRefused } from "./support/attack.ts";
import { open, raw } from "./support/raw.ts";

const key = `X-Engine-Access-Key: ${stack.engineAccessKey}`;
const head = `POST ${paths.graphql} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${key}\r\n`;
const megabyte = "x".repeat(1024 * 1024);

/** The engine answers in its own form, with 200 where Hasura does. */
const isGraphQLError = (text: string): boolean =>
  statuses(text)[0] === 200 && /\{"errors":/.test(text) && !text.includes('"data"');

const oversized: Readonly<Record<string, string | Buffer>> = {
  "an address of 10 KiB": `GET /${"a".repeat(10_240)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  "an address of 1 MiB": `GET /${megabyte} HTTP/1.1\r\nHost: a\r\n\r\n`,
  "a query of 9 KiB": `GET /api/auth/jwt?${"a=b&".repeat(2300)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  "a header of 9 KiB": `${head}X-Long: ${"a".repeat(9216)}\r\n\r\n`,
  "a token of 9 KiB": `${head}Authorization: Bearer ${"a".repeat(9216)}\r\n\r\n`,
  "a cookie of 40 KiB": `GET /api/auth/jwt HTTP/1.1\r\nHost: a\r\nCookie: sid=${"a".repeat(40_960)}\r\n\r\n`,
  "2,000 headers": `${head}${Array.from({ length: 2000 }, (_, index) => `X-${index}: ${index}`).join("\r\n")}\r\n\r\n`,
  "60 headers of 1 KiB": `${head}${Array.from({ length: 60 }, (_, index) => `X-${index}: ${"a".repeat(1000)}`).join("\r\n")}\r\n\r\n`,
  "a method of 1 MiB": `${megabyte} / HTTP/1.1\r\nHost: a\r\n\r\n`,
  "a length of 1 GiB": `${head}Content-Length: 1073741824\r\n\r\n`,
  "a length beyond 64 bits": `${head}Content-Length: 99999999999999999999\r\n\r\n{}`,
  "1 MiB announced": `${head}Content-Length: ${megabyte.length}\r\n\r\n${megabyte}`,
  "1 MiB in chunks": `${head}Transfer-Encoding: chunked\r\n\r\n${megabyte.length.toString(16)}\r\n${megabyte}\r\n0\r\n\r\n`,
  "a chunk with the size 2^63": `${head}Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nx`,
  "a chunk extension of 1 MiB": `${head}Transfer-Encoding: chunked\r\n\r\n1;${megabyte}\r\nx\r\n0\r\n\r\n`,
  "a trailer of 1 MiB": `${head}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-T: ${megabyte}\r\n\r\n`,
};

attacks("rejects every element of a request above its limit", () =>
  Object.entries(oversized).map(([name, bytes]): Attack => ({
    name,
    async run() {
      const text = await raw(bytes);
      // A connection cut off during sending is a rejection too. Chunk extensions and trailers have no limit: they are dropped on arrival,
      // and the rest is not a query.
      return text === "" || isGraphQLError(text) ? undefined : notRefused(statuses(text)[0] ?? 0, text);
    },
  })),
);

const bodies: Readonly<Record<string, { body: Buffer | string; headers?: Record<string, string> }>> = {
  "JSON nested 60,000 deep": {
    body: `{"query":"{__typename}","variables":{"a":${"[".repeat(60_000)}${"]".repeat(60_000)}}}`,
  },
  "200 KiB of open brackets": { body: "[".repeat(200_000) },
  "200 KiB of digits": { body: `{"query":${"9".repeat(200_000)}}` },
  "a number beyond all": { body: '{"query":"{__typename}","variables":1e999999}' },
  "a gzip bomb": { body: gzipSync(Buffer.alloc(20 * 1024 * 1024)), headers: { "content-encoding": "gzip" } },
  "a body declared as br": { body: "{}", headers: { "content-encoding": "br" } },
  "UTF-16": { body: Buffer.from('{"query":"{__typename}"}', "utf16le") },
  "UTF-8 that is none": { body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0xaf, 0x22, 0x7d]) },
  NULs: { body: Buffer.alloc(1000) },
  "a key 100 KiB long": { body: `{"${"k".repeat(100_000)}":1}` },
  "50,000 keys": { body: `{${Array.from({ length: 15_000 }, (_, index) => `"k${index}":1`).join(",")}}` },
  __proto__: { body: '{"__proto__":{"query":"{__typename}"},"constructor":{"prototype":{"query":"{__typename}"}}}' },
  "two values": { body: '{"query":"{__typename}"}{"query":"{__typename}"}' },
  "a number": { body: "1" },
  null: { body: "null" },
  "an empty list": { body: "[]" },
};
const posts = [paths.graphql, paths.loginCredentials, paths.loginLdap, paths.singleStepToken];

attacks("each endpoint rejects an invalid body with an error message", () =>
  posts.flatMap((path) =>
    Object.entries(bodies).map(([name, { body, headers }]): Attack => ({
      name: `${path}, ${name}`,
      async run() {
        const length = `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`;
        const more = Object.entries(headers ?? {})
          .map(([header, value]) => `${header}: ${value}\r\n`)
          .join("");
        const keys = `${key}\r\nX-Service-Api-Key: ${stack.serviceApiKey}\r\n`;
        const start = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${keys}${more}${length}\r\n`;
        const text = await raw(Buffer.concat([Buffer.from(start), Buffer.from(body)]));
        const [status = 0] = statuses(text);
        // The directory login of a stack without a directory always answers with this code.
        if (path === paths.loginLdap && text.includes('"ldap-not-configured"')) return undefined;
        // An empty batch has an empty reply, as in Hasura.
        const isEmptyBatch = path === paths.graphql && body === "[]" && text.endsWith("\r\n[]");
        return isEmptyBatch || isGraphQLError(text) ? undefined : notRefused(status, text);
      },
    })),
  ),
);

/** A client that sends a piece every second and never ends; resolves when the gateway disconnects it. */
async function slow(start: string, piece: string): Promise<string | undefined> {
  const socket = open();
  socket.on("error", () => undefined).resume();
  socket.write(start);
  const startedAt = performance.now();
  while (!socket.closed && performance.now() - startedAt < 45_000) {
    await sleep(1000);
    if (!socket.closed) socket.write(piece);
  }
  const ended = socket.closed;
  socket.destroy();
  return ended ? undefined : "it was still connected after 45 s";
}

attacks(
  "disconnects hundreds of clients that never end their headers",
  () =>
    Array.from({ length: 300 }, (_, index): Attack => ({
      name: `slow headers ${index}`,
      run: () => slow("POST /api/graphql HTTP/1.1\r\nHost: a\r\n", `X-${index}: a\r\n`),
    })),
  { atOnce: 300, waits: true },
);

attacks(
  "clients that stop in the middle of a body are disconnected; no service waits for them",
  () =>
    Array.from({ length: 200 }, (_, index): Attack => ({
      name: `half a body ${index}`,
      async run() {
        const path = posts[index % posts.length]!;
        const text = await raw(
          `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Service-Api-Key: ${stack.serviceApiKey}\r\nContent-Length: 1000\r\n\r\n{"query"`,
          { silence: 30_000 },
        );
        const [status] = statuses(text);
        return status === undefined || status === 408 ? undefined : text.slice(0, 200);
      },
    })),
  { atOnce: 200, waits: true },
);
