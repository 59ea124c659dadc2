import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { type Annotation, judge, PreparedRule, type Rule } from "@routeql/routing/judging/rules";

/** A rule as ARTEMIS's detector gets it; -1: any AS. */
interface TheirRule {
  readonly origin_asns: readonly number[];
  readonly neighbors: readonly number[];
  readonly prepend_seq: readonly (readonly number[])[];
  readonly policies: readonly string[];
  /** Each element has one name. */
  readonly community_annotations?: readonly Readonly<Record<string, Annotation["conditions"]>>[];
}

const configured = "192.0.2.0/24";
const moreSpecific = "192.0.2.0/25";

// Few numbers, so that paths often keep and often break a rule.
export const asn = fc.integer({ min: 1, max: 7 });
const asns = fc.oneof({ weight: 4, arbitrary: fc.array(asn, { maxLength: 3 }) }, fc.constant([-1]));
const common = { origin_asns: asns, policies: fc.constantFrom([], [], ["no-export"]) };
const sequences = fc.array(fc.array(asn, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 });
export const rule: fc.Arbitrary<TheirRule> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ...common, neighbors: asns, prepend_seq: fc.constant([]) }) },
  fc.record({ ...common, neighbors: fc.constant([]), prepend_seq: sequences }),
);
const message = fc.record({ prefix: fc.constantFrom(configured, moreSpecific), path: fc.array(asn, { maxLength: 9 }) });
const configuration = fc.record({
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
  messages: fc.array(message, { minLength: 20, maxLength: 20 }),
});

export const ours = (
  { origin_asns, neighbors, prepend_seq, policies, community_annotations = [] }: TheirRule,
  index: number,
): Rule => ({
  name: `rule ${index + 1}`,
  origins: origin_asns[0] === -1 ? "*" : origin_asns,
  neighbours: neighbors[0] === -1 ? "*" : neighbors,
  prepends: prepend_seq,
  noExport: policies.length > 0,
  moreSpecifics: "hijack",
  annotations: community_annotations.flatMap((each) =>
    Object.entries(each).map(([name, conditions]) => ({ name, conditions })),
  ),
});

/** Compares the verdicts on random announcements by random rules with those of ARTEMIS's detector. @returns a sentence for each difference */
export function compareRandom(
  artemis: string,
  utilities: string,
  configurations = 1000,
): { readonly messages: number; readonly types: number; readonly differences: string[] } {
  const cases = fc.sample(configuration, { numRuns: configurations, seed: 1 });
  const input = cases.map(({ rules, messages }) => ({
    prefix: configured,
    rules,
    messages: messages.map((each) => ({ ...each, key: "1", timestamp: 1, type: "A", peer_asn: 1, service: "random" })),
  }));
  const detector = new URL("detector.py", import.meta.url).pathname;
  const answer = execFileSync("python3", [detector, artemis, utilities], {
    input: JSON.stringify(input),
    maxBuffer: 100_000_000,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const theirs = JSON.parse(answer.toString()) as ([string, number] | null)[];
  const differences: string[] = [];
  let at = 0;
  for (const { rules, messages } of cases) {
    const prepared = rules.map((each, index) => new PreparedRule(ours(each, index)));
    for (const { prefix, path } of messages) {
      const verdict = judge(prepared, path, prefix === moreSpecific);
      const own = JSON.stringify(verdict === undefined ? null : [verdict.type, verdict.hijacker]);
      const wanted = JSON.stringify(theirs[at]);
      at += 1;
      if (own !== wanted)
        differences.push(`${JSON.stringify(rules)}: ${prefix} by ${path.join(" ")} is ${own}, expected ${wanted}`);
    }
  }
  return { messages: at, types: new Set(theirs.map((each) => each?.[0])).size, differences };
}
