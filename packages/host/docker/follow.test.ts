import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { follow } from "./follow.ts";
import type { EngineMessage } from "./follow.ts";

const streamOf = (...messages: EngineMessage[]): Readable =>
  Readable.from(messages.map((message) => `${JSON.stringify(message)}\r\n`));

test("passes on every message, in order", async () => {
  const seen: EngineMessage[] = [];
  await follow(streamOf({ stream: "Step 1" }, { status: "done" }), (message) => seen.push(message));
  expect(seen).toEqual([{ stream: "Step 1" }, { status: "done" }]);
});

test("reports a failure among the messages, also when other messages follow", async () => {
  const messages = streamOf(
    { stream: "Step 1" },
    { error: "The command returned a non-zero code: 7" },
    { stream: "removed" },
  );
  await expect(follow(messages)).rejects.toThrow("non-zero code: 7");
});

test("reports a broken connection as a failure", async () => {
  const broken = new Readable({ read: () => undefined });
  const followed = follow(broken);
  broken.destroy(new Error("reset"));
  await expect(followed).rejects.toThrow("reset");
});
