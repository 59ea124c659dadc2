import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const UPDATES = 200_000;

/** Reads a generated input of tens of megabytes in a process limited to 48. */
const script = `
  import { members } from ${JSON.stringify(new URL("members.ts", import.meta.url).href)};
  const [kind, count] = process.argv.slice(1);
  const attrs = { source_id: "13-192.0.2.1", target_prefix: "198.51.100.0/24", path: [64496, 64497, 64500], community: ["64496:1", "64497:1"] };
  const update = JSON.stringify({ seq: 1, timestamp: "2026-06-16T08:21:48", type: "A", attrs });
  const line = "BGP4MP|1445565678|A|192.0.2.1|64496|198.51.100.0/24|64496 64497 64500|IGP|192.0.2.1|0|0|64496:1 64497:1|NAG||\\n";
  async function* input() {
    if (kind === "json") yield Buffer.from('{"data":{"updates":[' + update);
    for (let made = kind === "json" ? 1 : 0; made < count; made += 100) {
      const rest = Math.min(100, count - made);
      yield Buffer.from(kind === "json" ? ("," + update).repeat(rest) : line.repeat(rest));
    }
    if (kind === "json") yield Buffer.from("]}}");
  }
  let read = 0;
  for await (const { records } of members(input(), { service: "example|north", onPassedOver: () => {} })) {
    for await (const batch of records) read += batch.length;
  }
  console.log(read);`;

test.each(["json", "text"])(
  "memory does not grow with the size of %s",
  async (kind) => {
    const args = ["--max-old-space-size=48", "--input-type=module", "--eval", script, kind, String(UPDATES)];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout.trim()).toBe(String(UPDATES));
  },
  120_000,
);
