/** Runs the attacks of `plan.json` beside it, one after another, and prints when each begins and ends. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Plan, run } from "./attacks.ts";

process.on("uncaughtException", () => undefined);
const plan = JSON.parse(await readFile(new URL("plan.json", import.meta.url), "utf8")) as Plan;
console.log("ready");
await sleep(Math.max(0, (plan.startsAt ?? 0) - Date.now()));
for (const attack of plan.attacks) {
  console.log(`begin ${Date.now()} ${attack.name}`);
  await run(attack, plan);
  console.log(`end ${Date.now()} ${attack.name}`);
}
console.log("finished");
process.exit(0);
