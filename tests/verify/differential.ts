import { randomInt } from "node:crypto";
import { compareWorlds, type Tally } from "../differential/run.ts";
import type { SuiteResult, TestRecord } from "../runner/results.ts";

/** Random reads of each of two databases; a quarter as many writes. */
const requests = 2000;

/** Sends the same random requests to Hasura's image and to the embedded engine. */
export async function verifyDifferential(): Promise<SuiteResult> {
  const started = performance.now();
  const seed = randomInt(1_000_000);
  const tests: TestRecord[] = [];
  for (const writes of [false, true]) {
    const title = `the same random ${writes ? "writes" : "reads"} get the same answers from both engines, seed ${seed}`;
    try {
      const plan = { requests: writes ? requests / 4 : requests, seed, writes };
      const tally = await compareWorlds(["project", "sample"], plan, ((missing: boolean, reason?: string) => {
        if (missing) throw new Error(reason);
      }) as Parameters<typeof compareWorlds>[2]);
      tests.push(...recordsOf(title, tally));
    } catch (error) {
      tests.push({ title, state: "failed", reason: String(error) });
    }
  }
  return { suite: "differential", seconds: (performance.now() - started) / 1000, tests };
}

function recordsOf(title: string, { unexplained, schemas, equal }: Tally): readonly TestRecord[] {
  const differences = [
    ...schemas,
    ...unexplained.map(
      ({ world, call, hasura, embedded }) =>
        `${world}: ${JSON.stringify(call)}\nHasura: ${hasura.slice(0, 600)}\nembedded: ${embedded.slice(0, 600)}`,
    ),
  ];
  if (equal > 0 && differences.length === 0) return [{ title: `${title}: ${equal} equal`, state: "passed" }];
  if (differences.length === 0) return [{ title, state: "failed", reason: "no answer was equal" }];
  return differences.map((reason) => ({ title, state: "failed", reason }));
}
