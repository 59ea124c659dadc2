import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Updates as `bgpdump -m` text and a configuration of detection, in a temporary folder. */
export class LoadFiles implements AsyncDisposable {
  readonly updates: string;
  readonly configuration: string;
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.updates = join(folder, "updates.bgpdump");
    this.configuration = join(folder, "prefixes.json");
  }

  /** @param prefixes number of configured prefixes: every 20th of the table, with its origin */
  static async write(updates: number, prefixes: number): Promise<LoadFiles> {
    const files = new LoadFiles(await mkdtemp(join(tmpdir(), "bench-load-")));
    await pipeline(Readable.from(madeUpUpdates(updates, 31)), createWriteStream(files.updates));
    const configured = Array.from({ length: prefixes }, (_, index) => ({
      prefix: madeUpPrefix(index * 20),
      origins: [madeUpOrigin(index * 20)],
    }));
    await writeFile(files.configuration, JSON.stringify({ prefixes: configured }));
    return files;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** Size of the generated routing table; a collector of 2026 sees about a million IPv4 prefixes, of which a fifth changes often. */
const PREFIXES = 200_000;
const PEERS = 120;
const TRANSITS = 400;
const COLLECTORS_START = 1_767_225_600; // 2026-01-01T00:00:00Z

const LINES_A_CHUNK = 500;

/**
 * `bgpdump -m` text of `count` updates, evenly over `days` days from 2026-01-01. A tenth of the prefixes gets half of the updates; every
 * 50th update repeats the one before it. The same arguments give the same text.
 */
function* madeUpUpdates(count: number, days: number): Generator<string> {
  const random = randomNumbers(1);
  const gap = (days * 86_400_000_000) / count;
  let previous = "";
  let text = "";
  for (let made = 0; made < count; made += 1) {
    const line = made % 50 === 49 ? previous : updateAt(made * gap, random);
    previous = line;
    text += line;
    if (made % LINES_A_CHUNK === LINES_A_CHUNK - 1) {
      yield text;
      text = "";
    }
  }
  if (text !== "") yield text;
}

/** The prefix of a number below {@link PREFIXES}; every fourth is IPv6. */
function madeUpPrefix(index: number): string {
  if (index % 4 === 3) return `2001:${(0x1000 + (index >>> 8)).toString(16)}:${(index & 0xff).toString(16)}::/48`;
  return `${20 + (index >>> 16)}.${(index >>> 8) & 0xff}.${index & 0xff}.0/24`;
}

/** The AS that announces a prefix, except for the few hijacks. */
function madeUpOrigin(index: number): number {
  return 1_000 + ((index * 7_919) % 60_000);
}

function updateAt(microseconds: number, random: () => number): string {
  const peer = Math.floor(random() * PEERS);
  const index = Math.floor(random() * (random() < 0.5 ? PREFIXES / 10 : PREFIXES));
  const seconds = COLLECTORS_START + Math.floor(microseconds / 1e6);
  const time = `${seconds}.${Math.floor(microseconds % 1e6)
    .toString()
    .padStart(6, "0")}`;
  const peerAsn = 200_000 + peer;
  const before = `BGP4MP_ET|${time}`;
  const monitor = `192.0.2.${peer}|${peerAsn}|${madeUpPrefix(index)}`;
  if (random() < 0.08) return `${before}|W|${monitor}\n`;
  const origin = random() < 0.001 ? 64_510 : madeUpOrigin(index);
  const first = 3_000 + Math.floor(random() * TRANSITS);
  const second = 3_000 + Math.floor(random() * TRANSITS);
  const communities = `${first % 65_536}:${100 + (second % 20)} ${second % 65_536}:1`;
  return `${before}|A|${monitor}|${peerAsn} ${first} ${second} ${origin}|IGP|192.0.2.${peer}|0|0|${communities}|NAG||\n`;
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
