import fc from "fast-check";
import { expect, test } from "vitest";
import { ResponseReader } from "./response-reader.ts";

const plain = (status: number, body: string): string =>
  `HTTP/1.1 ${status} X\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const chunked = (...chunks: string[]): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${[...chunks, ""].map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join("")}`;

test("responses are counted however the network cuts them", () => {
  const stream = Buffer.from(
    [
      plain(200, "hello"),
      plain(429, ""),
      chunked("abc", "äöü"),
      "HTTP/1.1 503 X\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
    ].join(""),
  );
  fc.assert(
    fc.property(fc.array(fc.nat({ max: stream.length }), { maxLength: 12 }), (cuts) => {
      const found: [number, number, boolean][] = [];
      const reader = new ResponseReader((status, bytes, closes) => found.push([status, bytes, closes]));
      const places = [0, ...cuts.toSorted((one, other) => one - other), stream.length];
      for (const [index, end] of places.slice(1).entries()) reader.take(stream.subarray(places[index], end));
      expect(found).toEqual([
        [200, 5, false],
        [429, 0, false],
        [200, 9, false],
        [503, 1, true],
      ]);
    }),
  );
});
