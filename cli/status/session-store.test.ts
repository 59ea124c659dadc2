import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readStore, storeProblems } from "./session-store.ts";

const info = (used: number, status: string): string =>
  `# Memory\r\nused_memory:${used}\r\nused_memory_human:1M\r\nmaxmemory:1000\r\n# Persistence\r\naof_last_write_status:${status}\r\n`;

test.each([
  ["a store with free memory", info(800, "ok"), []],
  ["a store that is nearly full", info(801, "ok"), ["uses 80 % of its memory; logins fail when it is full"]],
  ["a store that cannot write", info(1, "err"), ["cannot write to its volume, so logins fail"]],
  ["a store that does not answer", "Could not connect to Valkey\n", []],
])("reads %s", (_title, text, reasons) => {
  expect(readStore(text).map(({ reason }) => reason)).toEqual(reasons);
});

test("asks only a store of the stack itself", async () => {
  const { signal } = new AbortController();
  const enter = (service: string) =>
    Promise.resolve<Parameters<typeof storeProblems>[1] extends (name: string) => Promise<infer E> ? E : never>(
      async (_program, { output }) => {
        output.write(service === "sessions" ? info(999, "ok") : "");
        return 0;
      },
    );
  expect(await storeProblems(["database", "sessions"], enter, signal)).toHaveLength(1);
  expect(await storeProblems(["database"], enter, signal)).toEqual([]);
});

test("has the bound of the alert", () => {
  const rules = readFileSync("infra/monitoring/alerts.yml", "utf8");
  const share = Number(/alert: SessionStoreFull\n.*?> ([\d.]+)'\n/.exec(rules)?.[1]);
  expect([share * 1000, share * 1000 + 1].map((used) => readStore(info(used, "ok")).length)).toEqual([0, 1]);
});
