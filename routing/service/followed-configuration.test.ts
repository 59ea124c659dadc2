import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "pg";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Configuration } from "../judging/configuration/parsed-configuration.ts";

/** The configuration of the database, as text. */
const database = vi.hoisted(() => ({ version: 0, stored: "" }));
vi.mock("../judging/detect.ts", () => {
  const textOf = (configuration: Configuration): string => JSON.stringify(configuration.prefixes);
  return {
    applyConfiguration: async (_client: unknown, configuration: Configuration) => {
      if (textOf(configuration) === database.stored) return;
      database.stored = textOf(configuration);
      database.version += 1;
    },
    versionIfStored: async (_client: unknown, configuration: Configuration) =>
      textOf(configuration) === database.stored ? String(database.version) : undefined,
  };
});
// Files of one process share modules: another file may have loaded this one without the replacement, and must not get this one's.
vi.resetModules();
const { followConfiguration } = await import("./followed-configuration.ts");
afterAll(() => void vi.resetModules());

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
      isActive: () => true,
    },
    stopping.signal,
  );
  await vi.waitUntil(() => client.query.mock.calls.length > 0);
  stopping.abort();
  await following;
  expect(warn).not.toHaveBeenCalled();
  await rm(folder, { recursive: true });
});

test("ends the connection that waits for the database's configuration when the feed stops", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-configuration-"));
  const file = join(folder, "configuration.yaml");
  await writeFile(file, "prefixes:\n  - { prefix: 192.0.2.0/24, origins: [64500] }\n");
  let connections = 0;
  const looks = vi.fn();
  /** The second one waits for a lock, as during a restore. */
  const connect = async (): Promise<Client> => {
    connections += 1;
    if (connections === 1)
      return { query: async () => ({ rows: [{ version: "1" }] }), end: async () => {} } as unknown as Client;
    const { promise, reject } = Promise.withResolvers<never>();
    const end = async (): Promise<void> => reject(new Error("Connection terminated"));
    return { query: () => (looks(), promise), end } as unknown as Client;
  };
  const warn = vi.fn();
  const stopping = new AbortController();
  const following = followConfiguration(
    {
      file,
      connect,
      log: { info: () => {}, warn, error: () => {} },
      onState: () => {},
      onApplied: () => {},
      isActive: () => true,
      interval: 1,
    },
    stopping.signal,
  );
  await vi.waitUntil(() => looks.mock.calls.length > 0);
  stopping.abort();
  await following;
  expect(warn).not.toHaveBeenCalled();
  await rm(folder, { recursive: true });
});

describe("of several replicas", () => {
  interface Replica {
    isActive: boolean;
    /** What it reports. */
    isApplied: boolean | undefined;
    looks: number;
  }

  /** Follows a file with these origins for each replica while `work` runs. */
  async function follow(origins: readonly number[], work: (...replicas: Replica[]) => Promise<void>): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "routeql-configuration-"));
    const stopping = new AbortController();
    Object.assign(database, { version: 0, stored: "" });
    const query = async (): Promise<unknown> => ({ rows: [{ version: String(database.version) }] });
    const replicas = origins.map((): Replica => ({ isActive: false, isApplied: undefined, looks: 0 }));
    const following = replicas.map(async (replica, index) => {
      const file = join(folder, `${index}.yaml`);
      await writeFile(file, `prefixes:\n  - { prefix: 192.0.2.0/24, origins: [${origins[index]}] }\n`);
      await followConfiguration(
        {
          file,
          connect: async () => {
            replica.looks += 1;
            return { query, end: async () => {} } as unknown as Client;
          },
          log: { info: () => {}, warn: () => {}, error: () => {} },
          onState: (isApplied) => void (replica.isApplied = isApplied),
          onApplied: () => {},
          isActive: () => replica.isActive,
          interval: 1,
        },
        stopping.signal,
      );
    });
    try {
      await work(...replicas);
    } finally {
      stopping.abort();
      await Promise.all(following);
      await rm(folder, { recursive: true });
    }
  }

  /** Waits for further looks of each replica at the database. */
  const afterLooks = async (...replicas: readonly Replica[]): Promise<void> => {
    const least = replicas.map(({ looks }) => looks + 4);
    await vi.waitUntil(() => replicas.every(({ looks }, index) => looks >= least[index]!), { timeout: 60_000 });
  };
  const states = (...replicas: readonly Replica[]): (boolean | undefined)[] =>
    replicas.map(({ isApplied }) => isApplied);
  const patience = { timeout: 60_000 };

  test("only the active one applies its file again, and the other one reports another file", async () => {
    await follow([64_500, 64_501], async (active, standby) => {
      active.isActive = true;
      await afterLooks(active, standby);
      await expect.poll(() => states(active, standby), patience).toEqual([true, false]);
      // Both at their start, and the active one once more if it was the first.
      expect(database.version).toBeLessThanOrEqual(3);
      const { version } = database;
      await afterLooks(active, standby);
      expect(database.version).toBe(version);
      expect(states(active, standby)).toEqual([true, false]);
      active.isActive = false;
      standby.isActive = true;
      await expect.poll(() => states(active, standby), patience).toEqual([false, true]);
    });
  });

  test("one with an equal file reports it as applied when the active one has applied it", async () => {
    await follow([64_500, 64_500], async (active, standby) => {
      active.isActive = true;
      await expect.poll(() => states(active, standby), patience).toEqual([true, true]);
      expect(database.version).toBe(1);
      active.isActive = false;
      Object.assign(database, { version: 2, stored: "restored" });
      await expect.poll(() => states(active, standby), patience).toEqual([false, false]);
      active.isActive = true;
      await expect.poll(() => states(active, standby), patience).toEqual([true, true]);
      await afterLooks(active, standby);
      expect([database.version, ...states(active, standby)]).toEqual([3, true, true]);
    });
  });
});
