import { expect, test } from "vitest";
import { errorType, inCurrentSpan, inSpan, type Span, withoutSpan, withSpan } from "./span.ts";

class FakeSpan implements Span {
  readonly traceId = "";
  readonly #log: string[];
  readonly #name: string;

  constructor(name: string, log: string[]) {
    this.#name = name;
    this.#log = log;
  }

  rename(): void {}

  set(): void {}

  child(name: string): Span {
    return new FakeSpan(name, this.#log);
  }

  fail(type: string): void {
    this.#log.push(`${this.#name} failed: ${type}`);
  }

  end(): void {
    this.#log.push(`${this.#name} ended`);
  }
}

test("a child span ends with its work", async () => {
  const log: string[] = [];
  const parent = new FakeSpan("parent", log);
  expect(inSpan(parent, "sync", "internal", {}, () => 1)).toBe(1);
  expect(await inSpan(parent, "async", "internal", {}, () => Promise.resolve(2))).toBe(2);
  const broken = Object.assign(new Error("hidden"), { code: "57014" });
  expect(() =>
    inSpan(parent, "thrown", "internal", {}, () => {
      throw broken;
    }),
  ).toThrow(broken);
  await expect(inSpan(parent, "rejected", "internal", {}, () => Promise.reject(broken))).rejects.toBe(broken);
  expect(log).toEqual([
    "sync ended",
    "async ended",
    "thrown failed: 57014",
    "thrown ended",
    "rejected failed: 57014",
    "rejected ended",
  ]);
});

test("without a parent only the work runs", () => {
  expect(inSpan(undefined, "name", "internal", {}, (span) => span)).toBeUndefined();
});

test("the current span follows the request, and shared work has none", async () => {
  const log: string[] = [];
  await withSpan(new FakeSpan("request", log), async () => {
    await Promise.resolve();
    inCurrentSpan("own", "client", {}, () => undefined);
    withoutSpan(() => inCurrentSpan("shared", "client", {}, () => undefined));
  });
  inCurrentSpan("outside", "client", {}, () => undefined);
  expect(log).toEqual(["own ended"]);
});

test.each([
  [Object.assign(new Error("hidden"), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
  [Object.assign(new Error("hidden"), { code: 49 }), "49"],
  [Object.assign(new Error("hidden"), { code: "a text of a client" }), "Error"],
  [new TypeError("hidden"), "TypeError"],
  ["hidden", "_OTHER"],
])("the type of an error is its code or its class", (error, type) => {
  expect(errorType(error)).toBe(type);
});
