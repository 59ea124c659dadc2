import fc from "fast-check";
import { expect, test } from "vitest";
import { inLanes } from "./lanes.ts";

interface Piece {
  readonly name: string;
  readonly alone?: boolean;
  readonly turns: number;
}

/** Runs the tasks and records which ones were running at each start. */
async function watched(pieces: readonly Piece[], lanes: number): Promise<{ results: string[]; moments: Piece[][] }> {
  const atWork = new Set<Piece>();
  const moments: Piece[][] = [];
  const results = await inLanes(pieces, lanes, async (piece) => {
    atWork.add(piece);
    moments.push([...atWork]);
    for (let turn = 0; turn < piece.turns; turn += 1) await Promise.resolve();
    atWork.delete(piece);
    return piece.name;
  });
  return { results, moments };
}

const pieces = fc
  .array(fc.record({ alone: fc.boolean(), turns: fc.nat(20) }), { maxLength: 12 })
  .map((all) => all.map((piece, index): Piece => ({ ...piece, name: `suite ${index}` })));

test("runs as many as there are lanes, exclusive ones alone, results in the given order", async () => {
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 4 }), async (all, lanes) => {
      const { results, moments } = await watched(all, lanes);
      expect(results).toEqual(all.map(({ name }) => name));
      for (const moment of moments) {
        expect(moment.length).toBeLessThanOrEqual(lanes);
        if (moment.some(({ alone }) => alone)) expect(moment).toHaveLength(1);
      }
    }),
  );
});

test("starts nothing after a stop, and waits for running tasks", async () => {
  let stopped = false;
  const done: string[] = [];
  const results = await inLanes<Piece, string>(
    ["first", "second", "third"].map((name) => ({ name, turns: 1 })),
    2,
    async ({ name }) => {
      stopped = name === "second";
      await Promise.resolve();
      done.push(name);
      return name;
    },
    () => stopped,
  );
  expect(done).toEqual(["first", "second"]);
  expect(results).toEqual(["first", "second"]);
});
