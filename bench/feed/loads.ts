import type { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { detectCommand } from "@routeql/routing/commands/detect";
import { loadCommand } from "@routeql/routing/commands/load";
import { asPath, bgp4mp, origin, reach6, update } from "@routeql/routing/testing/mrt-encoder";
import type { StartedDatabaseContainer } from "@routeql/tests/harness/containers/database-container";
import { runCommand } from "../database.ts";
import { figure, type Figure, inRounds, ratio } from "../measure/statistics.ts";

export interface LoadRow {
  readonly work: string;
  readonly perSecond: Figure;
  /** In relation to the load of text without a configuration, round by round. */
  readonly timeRatio: Figure;
}

export interface LoadSize {
  readonly folder: string;
  readonly rounds: number;
  readonly rows: number;
  readonly write: typeof writeFile;
}

const configured = 1_000;
/** Documentation prefixes of 48 bits, of RFC 3849. */
const prefixes = 65_536;
/** 2016-08-11T16:00:00Z, the time of the encoder's records. */
const time = 1_470_931_200;

/** The origin of an update; each fiftieth is a hijack where its prefix is configured. */
const originOf = (index: number): number => (index % 50 === 0 ? 64_510 : 64_500);
/** Equal updates are one row, so that each has another path. */
const pathOf = (index: number): readonly number[] => [64_496, 65_536 + (index >>> 16), originOf(index)];
const blockOf = (index: number): number => (index * 40_503) % prefixes;

function textOf(index: number): string {
  const prefix = `2001:db8:${blockOf(index).toString(16)}::/48`;
  return `BGP4MP|${time}|A|192.0.2.1|64496|${prefix}|${pathOf(index).join(" ")}|IGP|2001:db8::1|0|0||NAG||\n`;
}

function mrtOf(index: number): Buffer {
  const block = blockOf(index);
  const nlri = Buffer.from([48, 0x20, 0x01, 0x0d, 0xb8, block >>> 8, block & 0xff]);
  return bgp4mp(update({ attributes: [origin, asPath(...pathOf(index)), reach6(nlri)] }));
}

/** Loads the same updates as text, as MRT, and as text with configured prefixes, in turn. */
export async function benchLoads(database: StartedDatabaseContainer, size: LoadSize): Promise<LoadRow[]> {
  const { folder, rounds, rows, write } = size;
  const [text, mrt, configuration] = ["text", "mrt", "configuration.yaml"].map((name) => join(folder, name));
  const every = Array.from({ length: rows }, (_, index) => index);
  await write(text!, every.map(textOf).join(""));
  await write(mrt!, Buffer.concat(every.map(mrtOf)));
  const lines = Array.from({ length: configured }, (_, block) => {
    return `  - { prefix: "2001:db8:${block.toString(16)}::/48", origins: [64500] }\n`;
  });
  await write(configuration!, `prefixes:\n${lines.join("")}`);

  const works = [
    { work: "bgpdump text", file: text!, judged: false },
    { work: "MRT", file: mrt!, judged: false },
    { work: `bgpdump text, ${configured} configured prefixes`, file: text!, judged: true },
  ];
  const measured = await inRounds(works, rounds, async ({ file, judged }) => {
    await empty(database);
    if (judged) await runCommand(detectCommand, [configuration!], database);
    const began = performance.now();
    await runCommand(loadCommand, ["--service", "ripe-ris|rrc00", file], database);
    return { seconds: (performance.now() - began) / 1000 };
  });
  await empty(database);
  return works.map(({ work }, index) => ({
    work,
    perSecond: figure(measured[index]!.map(({ seconds }) => rows / seconds)),
    timeRatio: ratio(measured[index]!, measured[0]!, ({ seconds }) => seconds),
  }));
}

async function empty(database: StartedDatabaseContainer): Promise<void> {
  await using owner = await database.connect("owner");
  await owner.query(
    "truncate routing.bgp_updates, routing.hijacks, routing.configured_prefixes, routing.detection cascade",
  );
}
