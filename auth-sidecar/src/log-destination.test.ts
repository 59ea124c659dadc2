import { byTurn } from "@routeql/contract/log-lines";
import { pino } from "pino";
import { expect, test } from "vitest";

test("writes a fatal line at once, with those before it", () => {
  const written: string[] = [];
  const log = pino({}, byTurn({ write: (text) => void written.push(text) }));
  log.info("before");
  log.fatal("the end");
  expect(written.join("").split("\n")).toHaveLength(3);
});
