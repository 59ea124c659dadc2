import type { Member } from "./members.ts";
import type { InputRecord } from "../formats/records.ts";
import type { Update } from "../formats/update.ts";

export interface DemoOptions {
  readonly count: number;
  /** The same seed, count and start give the same updates. */
  readonly seed: number;
  /** Milliseconds since 1970 of the first update. */
  readonly start: number;
}

// AS numbers of RFC 5398, prefixes of RFC 5737 and RFC 3849; routing/examples/demo.yaml lists the legitimate origins.
const peers = [64_496, 64_497, 64_498, 64_499, 65_536, 65_537, 65_538, 65_539];
const transits = [64_504, 64_505, 64_506, 64_507, 65_540, 65_541, 65_542, 65_543];
const hijackers = [64_510, 65_550];
const collectors = ["demo|north", "demo|south"];
const hijackedPrefixes = ["203.0.113.0/24", "192.0.2.128/25", "2001:db8:beef::/48"];

const BATCH = 500;
const SHARE_OF_WITHDRAWALS = 0.08;
const SHARE_OF_HIJACKS = 0.02;
/** Mean time between two updates, in microseconds. */
const MEAN_GAP = 50_000;

/** Generated updates that look like a collector's; a few are hijacks. */
export function demoMember(options: DemoOptions): Member {
  return { name: null, format: null, records: demoRecords(options) };
}

async function* demoRecords({ count, seed, start }: DemoOptions): AsyncGenerator<InputRecord[]> {
  const random = randomNumbers(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let microseconds = BigInt(start) * 1000n;
  for (let made = 0; made < count;) {
    const batch: InputRecord[] = [];
    for (; batch.length < BATCH && made < count; made += 1) {
      microseconds += BigInt(Math.floor(random() * 2 * MEAN_GAP));
      const parsed = demoUpdate(random, pick, timestampOf(microseconds));
      batch.push({ position: made + 1, text: () => JSON.stringify(parsed), parsed });
    }
    yield batch;
  }
}

function demoUpdate(random: () => number, pick: <T>(list: readonly T[]) => T, timestamp: string): Update {
  const peerAsn = pick(peers);
  const service = pick(collectors);
  const hijack = random() < SHARE_OF_HIJACKS;
  const { prefix, origin } = hijack
    ? { prefix: pick(hijackedPrefixes), origin: pick(hijackers) }
    : ownPrefix(random, pick);
  const common = { timestamp, prefix, peerAsn, monitor: null, service };
  if (random() < SHARE_OF_WITHDRAWALS) return { ...common, type: "W", path: [], communities: "[]" };
  const transit = pick(transits);
  const path = random() < 0.3 ? [peerAsn, transit, pick(transits), origin] : [peerAsn, transit, origin];
  const communities = `[[${transit},${100 + Math.floor(random() * 20)}],[${peerAsn},1]]`;
  return { ...common, type: "A", path, communities };
}

function ownPrefix(random: () => number, pick: <T>(list: readonly T[]) => T): { prefix: string; origin: number } {
  const kind = random();
  if (kind < 0.1) return { prefix: "192.0.2.0/24", origin: 64_500 };
  if (kind < 0.2) return { prefix: "198.51.100.0/24", origin: 64_501 };
  if (kind < 0.3) return { prefix: "203.0.113.0/24", origin: pick([64_502, 64_503]) };
  const block = Math.floor(random() * 65_536);
  return { prefix: `2001:db8:${block.toString(16)}::/48`, origin: block < 32_768 ? 64_500 : 64_501 };
}

function timestampOf(microseconds: bigint): string {
  const seconds = microseconds / 1_000_000n;
  const decimals = (microseconds % 1_000_000n).toString().padStart(6, "0");
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${decimals}`;
}

/** Pseudo-random numbers in [0, 1) that depend only on the seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
