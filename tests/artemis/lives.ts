import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { ConfiguredPrefixes } from "@routeql/routing/judging/configured-prefixes";
import { Judge } from "@routeql/routing/judging/judge";
import { asn, ours, rule } from "./random.ts";

const nodes = ["192.0.2.0/24", "192.0.2.0/25"] as const;
const prefixes = [...nodes, "192.0.2.128/25", "192.0.2.0/26"];
const community = fc.constantFrom("1:1", "1:2", "2:1", "2:2");
const communities = fc.uniqueArray(community, { maxLength: 2 });
const condition = fc.record({ in: communities, out: fc.uniqueArray(community, { maxLength: 1 }) });
const annotation = (name: string) =>
  fc.array(condition, { minLength: 1, maxLength: 2 }).map((conditions) => ({ [name]: conditions }));
/** The rules of a prefix list the same names: ARTEMIS stops with an error at a rule that does not list a record's annotation. */
const rules = fc.subarray(["critical", "high", "low"]).chain((names) => {
  const annotations = fc
    .shuffledSubarray(names, { minLength: names.length })
    .chain((ordered) => fc.tuple(...ordered.map(annotation)));
  const annotated = fc
    .tuple(rule, annotations)
    .map(([each, community_annotations]) => ({ ...each, community_annotations }));
  return fc.array(annotated, { minLength: 1, maxLength: 2 });
});
const update = fc.record({
  type: fc.constantFrom("A" as const, "A" as const, "W" as const),
  prefix: fc.oneof({ weight: 2, arbitrary: fc.constant(nodes[0]) }, fc.constantFrom(...prefixes)),
  peer_asn: fc.integer({ min: 11, max: 15 }),
  /** Seconds since the one before. */
  timestamp: fc.integer({ min: 0, max: 9 }),
  /** Seconds that it comes late. */
  late: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 60 })),
  communities,
  // Few origins, so that several monitors see one hijack.
  path: fc
    .tuple(fc.array(asn, { maxLength: 2 }), fc.constantFrom(1, 2), fc.constantFrom(1, 2))
    .map(([far, neighbour, origin]) => [...far, neighbour, origin]),
});
const stream = fc.record({
  rules: fc.tuple(rules, fc.option(rules)),
  updates: fc.array(update, { minLength: 40, maxLength: 40 }),
});

/**
 * Compares the hijack records after each message of random streams with those of ARTEMIS's detector and database worker.
 * @param isLate messages come out of order; then a stream is compared until a record ends, because ARTEMIS judges in the order of arrival
 * @returns a sentence for each stream with a difference
 */
export function compareLives(
  artemis: string,
  utilities: string,
  isLate: boolean,
  streams = 500,
): { readonly messages: number; readonly records: number; readonly differences: string[] } {
  const cases = fc.sample(stream, { numRuns: streams, seed: 1 }).map(({ rules: [wide, narrow], updates }) => {
    let timestamp = 1_700_000_000;
    return {
      nodes: [wide, narrow].flatMap((each, index) => (each === null ? [] : [{ prefix: nodes[index]!, rules: each }])),
      messages: updates.map(({ path, late, ...each }) => ({
        ...each,
        timestamp: (timestamp += each.timestamp) - (isLate ? late : 0),
        path: each.type === "W" ? [] : [each.peer_asn, ...path],
        communities: each.communities.map((text) => text.split(":").map(Number)),
      })),
    };
  });
  const program = new URL("lives.py", import.meta.url).pathname;
  const answer = execFileSync("python3", [program, artemis, utilities], {
    input: JSON.stringify(cases),
    maxBuffer: 1_000_000_000,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const theirs = JSON.parse(answer.toString()) as unknown[][];
  const differences: string[] = [];
  let at = 0;
  let compared = 0;
  let records = 0;
  for (const { nodes: configured, messages } of cases) {
    const judge = judgeOf(configured);
    let isEqual = true;
    let isOver = false;
    let shown = 0;
    for (const [index, { type, prefix, peer_asn: peer, timestamp, path, ...message }] of messages.entries()) {
      const common = { hijackKeys: [], handled: false, matchedPrefix: null };
      const [key, text] = [String(index), JSON.stringify(message.communities)];
      judge.judge({ ...common, key, communities: text, time: timestamp * 1e6, prefix, peer, type, path });
      // ARTEMIS judges each message as it arrives, also several of one time.
      judge.settle();
      const own = comparable(recordsOf(judge));
      const wanted = comparable(theirs[at] ?? []);
      at += 1;
      if (isOver) continue;
      compared += 1;
      shown = judge.episodes.changed.length;
      isOver = isLate && judge.episodes.changed.some(({ ended }) => ended !== null);
      if (isEqual && own !== wanted)
        differences.push(
          `${JSON.stringify(configured)}: after ${JSON.stringify(messages.slice(0, index + 1))} is ${own}, expected ${wanted}`,
        );
      isEqual &&= own === wanted;
    }
    records += shown;
  }
  return { messages: compared, records, differences };
}

const comparable = (records: readonly unknown[]): string =>
  JSON.stringify(records.map((each) => JSON.stringify(each)).toSorted());

function judgeOf(
  configured: readonly { readonly prefix: string; readonly rules: readonly Parameters<typeof ours>[0][] }[],
): Judge {
  const all = configured.flatMap(({ prefix, rules: each }) =>
    each.map((one, order) => {
      const length = Number(prefix.split("/")[1]);
      return { prefix, low: length, high: length, order, rule: ours(one, order), configuredAt: 0, organisation: null };
    }),
  );
  return new Judge(new ConfiguredPrefixes(all), { recomputed: new Map(), outdated: new Set() });
}

const recordsOf = (judge: Judge): unknown[] =>
  judge.episodes.changed.map(({ prefix, hijacker, type, ended, started, last, peers, infected, ...episode }) => {
    const seconds = (time: number | null): number | null => (time === null ? null : time / 1e6);
    const sorted = (numbers: Iterable<number>): number[] => [...numbers].toSorted((a, b) => a - b);
    const withdrawn = [...peers].filter(([, state]) => state.withdrawn !== null).map(([peer]) => peer);
    const times = [seconds(started), seconds(last), seconds(ended)];
    return [
      prefix,
      hijacker,
      type,
      ended === null,
      ...times,
      sorted(peers.keys()),
      sorted(withdrawn),
      sorted(infected),
      episode.configuredPrefix,
      episode.annotation,
    ];
  });
