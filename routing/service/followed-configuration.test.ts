import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "pg";
import { expect, test, vi } from "vitest";
import { followConfiguration } from "./followed-configuration.ts";

test("ends the connection that applies a configuration when the feed stops", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-configuration-"));
  const file = join(folder, "configuration.yaml");
  await writeFile(file, "prefixes:\n  - { prefix: 192.0.2.0/24, origins: [64500] }\n");
  const { promise, reject } = Promise.withResolvers<never>();
  const client = { query: vi.fn(() => promise), end: async () => reject(new Error("Connection terminated")) };
  const warn = vi.fn();
  const stopping = new AbortController();
  const following = followConfiguration(
    {
      file,
      connect: async () => client as unknown as Client,
      log: { info: () => {}, warn, error: () => {} },
      onState: () => {},
      onApplied: () => {},
    },
    stopping.signal,
  );
  await vi.waitUntil(() => client.query.mock.calls.length > 0);
  stopping.abort();
  await following;
  expect(warn).not.toHaveBeenCalled();
  await rm(folder, { recursive: true });
});
