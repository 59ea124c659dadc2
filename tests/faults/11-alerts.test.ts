import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stack } from "../e2e/support/stack/stack.ts";
import {
  Alerts,
  brokenArchive,
  fullDisk,
  oldBackup,
  subjectsOfStatus,
  takeDatabaseConnections,
} from "./support/alerts.ts";
import { takeSessionConnections } from "./support/connection-hog.ts";
import { countAlert } from "./support/figures.ts";
import { cutOff, interpose, type Part, pause, reconnect, resume, start, stop } from "./support/parts.ts";
import { theWorld } from "./support/world.ts";

/** Bounds in milliseconds from the start of a fault, and from its end. */
const bounds = { fires: 60_000, clears: 120_000 };

interface LastingFault {
  readonly name: string;
  /** The alerts, each with its service or the start of its route. */
  readonly alerts: readonly string[];
  /** The subject in the status report. */
  readonly names: string;
  /** Causes the fault. @returns a function that ends it */
  readonly inject: () => Promise<() => Promise<unknown>>;
}

const stopped =
  (part: Part): LastingFault["inject"] =>
  async () => {
    await stop(part);
    return () => start(part);
  };
const paused =
  (part: Part): LastingFault["inject"] =>
  async () => {
    await pause(part);
    return () => resume(part);
  };
const disconnected =
  (part: Part): LastingFault["inject"] =>
  async () => {
    await cutOff(part);
    return () => reconnect(part);
  };
const taken =
  (take: () => Promise<AsyncDisposable>): LastingFault["inject"] =>
  async () => {
    const connections = await take();
    return async () => connections[Symbol.asyncDispose]();
  };
/** Open connections first, which the delay does not prevent. Milliseconds on every packet in each direction. */
const delayed =
  (caller: Part, callee: Part, port: number, milliseconds: number): LastingFault["inject"] =>
  async () => {
    const interposed = await interpose(caller, callee, port);
    await (await theWorld()).crowd.served(30_000);
    interposed.proxy.set(milliseconds);
    return async () => interposed[Symbol.asyncDispose]();
  };

let alerts: Alerts;

/** Faults of the services, one of each at the same time, because each has its own alert. */
const ofServices: readonly LastingFault[] = [
  { name: "database paused", alerts: ["DatabaseDown database"], names: "database", inject: paused("database") },
  {
    name: "session store stopped",
    alerts: ["SessionStoreDown sessions"],
    names: "sessions",
    inject: stopped("sessions"),
  },
  { name: "engine disconnected", alerts: ["ServiceDown engine"], names: "engine", inject: disconnected("engine") },
  {
    name: "auth sidecar paused",
    alerts: ["ServiceDown auth-sidecar"],
    names: "auth-sidecar",
    inject: paused("auth-sidecar"),
  },
  { name: "gateway stopped", alerts: ["ServiceDown gateway"], names: "gateway", inject: stopped("gateway") },
];

/** Alone, because requests that fail at once would hide the slow ones. */
const ofSlowness: readonly LastingFault[] = [
  {
    name: "engine to database slow",
    alerts: ["RequestsSlow /api/graphql"],
    names: "gateway",
    inject: delayed("engine", "database", 5432, 1500),
  },
];

/** Faults of connections between services that answer. */
const ofConnections: readonly LastingFault[] = [
  {
    name: "database without connections",
    alerts: ["DatabaseConnectionsExhausted database"],
    names: "database",
    inject: taken(takeDatabaseConnections),
  },
  {
    name: "session store without connections",
    alerts: ["SessionStoreConnectionsExhausted sessions", "RequestsFail /api/auth/"],
    names: "sessions",
    inject: taken(takeSessionConnections),
  },
];

beforeAll(async () => {
  const opened = await Alerts.open();
  if (opened === undefined) throw new Error("The stack has no Prometheus. Start it with MONITORING=stack.");
  alerts = opened;
  await (await theWorld()).crowd.served(30_000);
  // Earlier files of the suite raised some.
  for (const { alerts: expected } of [...ofServices, ...ofSlowness, ...ofConnections])
    for (const alert of expected) await alerts.until(alert, false, bounds.clears);
}, 300_000);

describe.each([
  ["services", ofServices],
  ["slowness", ofSlowness],
  ["connections", ofConnections],
])("faults of %s", (_, faults) => {
  const ends: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    await Promise.all(ends.splice(0).map((end) => end().catch(() => undefined)));
  });

  test(
    "each raises its alert within 60 s, the status names the service, and the alert clears",
    { timeout: 300_000 },
    async () => {
      const raised: Promise<readonly number[]>[] = [];
      for (const { inject, alerts: expected } of faults) {
        ends.push(await inject());
        const all = Promise.all(expected.map((alert) => alerts.until(alert, true, bounds.fires)));
        all.catch(() => undefined);
        raised.push(all);
      }
      const fired = await Promise.all(raised);
      const subjects = await subjectsOfStatus(stack.name);
      const ended = ends.splice(0);
      const cleared = await Promise.all(
        faults.map(async ({ alerts: expected }, index) => {
          await ended[index]!();
          return Promise.all(expected.map((alert) => alerts.until(alert, false, bounds.clears)));
        }),
      );
      for (const [index, { name, alerts: expected }] of faults.entries())
        for (const [place, alert] of expected.entries())
          countAlert({ fault: name, alert, fires: fired[index]![place]!, clears: cleared[index]![place]! });
      expect(subjects).toEqual(expect.arrayContaining([...new Set(faults.map(({ names }) => names))]));
      await (await theWorld()).crowd.served(45_000);
    },
  );
});

// They fire after one and five minutes, which promtool tests.
test(
  "DiskNearlyFull, BackupOld and ArchiveFails are pending while their condition holds",
  { timeout: 180_000 },
  async () => {
    const names = ["DiskNearlyFull", "BackupOld", "ArchiveFails"];
    const each = (pends: boolean): Promise<readonly number[]> =>
      Promise.all(names.map((name) => alerts.untilPending(name, pends, bounds.fires)));
    await each(false);
    {
      await using _disk = await fullDisk();
      await using _backup = await oldBackup();
      await using _archive = await brokenArchive();
      await each(true);
    }
    await each(false);
  },
);
