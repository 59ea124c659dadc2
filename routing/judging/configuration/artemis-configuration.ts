import { isAsNumber, parseAsNumber } from "@routeql/database-access/number-resources";
import { isObject } from "../../formats/is-object.ts";
import type { AsNumbers } from "./as-numbers.ts";
import type { Autoignore, Configuration, PrefixRange, PrefixRule } from "./parsed-configuration.ts";
import { canonicalPrefix, lengthOf } from "../../formats/prefix.ts";
import type { CheckedYaml } from "./problems.ts";
import type { Annotation, Rule } from "../rules.ts";

type Path = readonly PropertyKey[];

interface Placed {
  readonly value: unknown;
  readonly path: Path;
}

const sections = ["prefixes", "asns", "monitors", "rules", "autoignore"];
const ruleFields = new Set([
  "prefixes",
  "origin_asns",
  "neighbors",
  "prepend_seq",
  "policies",
  "mitigation",
  "community_annotations",
]);
const autoignoreFields = new Set(["thres_num_peers_seen", "thres_num_ases_infected", "interval", "prefixes"]);
const mostRanges = 100_000;

/** Nested lists as one list; a single value is a list of one. */
function flat(value: unknown, path: Path): Placed[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.flatMap((each, index) => flat(each, [...path, index])) : [{ value, path }];
}

/** A value of the file for messages: a mapping has no text, and may name functions of an object. */
const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** ARTEMIS's configuration file as it is. @throws ConfigurationError with all problems */
export function readArtemisConfiguration(yaml: CheckedYaml): Configuration {
  const file = yaml.value;
  for (const section of Object.keys(file))
    if (!sections.includes(section))
      yaml.problem([section], `${section}: is no section. Sections are ${sections.join(", ")}`);
  const section = (name: string): [string, unknown][] => {
    const value = file[name] ?? {};
    if (isObject(value)) return Object.entries(value);
    yaml.problem([name], `${name}: must be a mapping of names`);
    return [];
  };
  for (const [name, value] of section("prefixes"))
    for (const { value: each, path } of flat(value, ["prefixes", name])) readRange(yaml, each, path);
  for (const [name, value] of section("asns")) {
    const asns = flat(value, ["asns", name]);
    readAsNumbers(yaml, asns);
    if (asns.length === 0 && name.startsWith("RIPE_WHOIS_AS_SET_"))
      yaml.problem(
        ["asns", name],
        `asns.${name}: has no members. List the AS numbers of the set; they are not looked up`,
      );
  }
  const byPrefix = new Map<string, PrefixRule[]>();
  let ranges = 0;
  const rules = file["rules"] ?? [];
  if (!Array.isArray(rules)) yaml.problem(["rules"], "rules: must be a list");
  else
    for (const [order, value] of rules.entries()) {
      const read = readRule(yaml, value, order);
      if (read === undefined) continue;
      ranges += read.ranges.length;
      for (const { prefix, low, high } of read.ranges) {
        const known = byPrefix.get(prefix) ?? [];
        byPrefix.set(prefix, known);
        known.push({ low, high, order, rule: read.rule });
      }
    }
  if (ranges > mostRanges) yaml.problem(["rules"], `rules: have more than ${mostRanges} prefixes`);
  if (byPrefix.size === 0)
    yaml.problem(
      ["rules"],
      "rules: have no prefix, so there is nothing to detect. List prefixes and their origins; none are learned (autoconf)",
    );
  const autoignore = section("autoignore").flatMap(([name, value]) => readAutoignore(yaml, name, value) ?? []);
  checkMonitors(yaml, section("monitors"));
  const warnings = yaml.end();
  return {
    organisations: [],
    prefixes: [...byPrefix].map(([prefix, entries]) => ({ prefix, organisation: null, rules: entries })),
    autoignore,
    warnings,
  };
}

function readRule(
  yaml: CheckedYaml,
  value: unknown,
  order: number,
): { readonly ranges: readonly PrefixRange[]; readonly rule: Rule } | undefined {
  const at: Path = ["rules", order];
  const where = `rules.${order}`;
  if (!isObject(value)) {
    yaml.problem(at, `${where}: must be a mapping`);
    return undefined;
  }
  for (const field of Object.keys(value))
    if (!ruleFields.has(field)) yaml.warn([...at, field], `${where}.${field}: is not known and has no effect`);
  const placed = (field: string): Placed[] => flat(value[field], [...at, field]);
  // A missing field has a meaning (no AS may announce the prefix, any AS may be beside the origin); ARTEMIS refuses an empty one.
  for (const field of ["origin_asns", "neighbors"])
    if (value[field] === null)
      yaml.problem([...at, field], `${where}.${field}: has no value. List AS numbers, or delete the line`);
  const prefixes = placed("prefixes");
  // A group of prefixes may be empty.
  if (Array.isArray(value["prefixes"]) && prefixes.length === 0)
    yaml.warn([...at, "prefixes"], `${where}.prefixes: lists no prefix, so that the rule has no effect`);
  else if (prefixes.length === 0) yaml.problem(at, `${where}.prefixes: must list at least one prefix`);
  if ("neighbors" in value && "prepend_seq" in value)
    yaml.problem([...at, "prepend_seq"], `${where}: has neighbors and prepend_seq; only one of them is allowed`);
  for (const { value: policy, path } of placed("policies"))
    if (policy !== "no-export") yaml.warn(path, `${where}.policies: ${shown(policy)} is not known and has no effect`);
  for (const { value: mitigation, path } of placed("mitigation"))
    if (mitigation !== "manual") yaml.warn(path, `${where}.mitigation: nothing is run; operators mitigate`);
  const sequences = value["prepend_seq"] ?? [];
  if (!Array.isArray(sequences)) yaml.problem([...at, "prepend_seq"], `${where}.prepend_seq: must be a list of lists`);
  const prepends = (Array.isArray(sequences) ? sequences : []).map((sequence, index) =>
    flat(sequence, [...at, "prepend_seq", index]).flatMap((hop) => {
      const asn = asNumber(hop.value);
      if (asn === undefined) yaml.problem(hop.path, `${where}.prepend_seq: ${shown(hop.value)} is no AS number`);
      return asn ?? [];
    }),
  );
  return {
    ranges: prefixes.flatMap(({ value: prefix, path }) => readRange(yaml, prefix, path) ?? []),
    rule: {
      name: `rule ${order + 1}`,
      origins: readAsNumbers(yaml, placed("origin_asns")),
      neighbours: readAsNumbers(yaml, placed("neighbors")),
      prepends,
      noExport: placed("policies").some(({ value: policy }) => policy === "no-export"),
      moreSpecifics: "hijack",
      annotations: readAnnotations(yaml, value["community_annotations"] ?? [], [...at, "community_annotations"], where),
    },
  };
}

/** A prefix with ARTEMIS's operators of RFC 2622 section 2: `^-`, `^+`, `^n`, `^n-m`. */
function readRange(yaml: CheckedYaml, value: unknown, path: Path): PrefixRange | undefined {
  const text = shown(value);
  const [, written = "", operator] = /^([^^\s]+)(?:\^(-|\+|\d{1,3}(?:-\d{1,3})?))?$/.exec(text) ?? [];
  const address = written.includes("/") ? written : `${written}/${written.includes(":") ? 128 : 32}`;
  const canonical = canonicalPrefix(address);
  if (canonical === undefined) {
    yaml.problem(path, `${text} is no IPv4 or IPv6 prefix`);
    return undefined;
  }
  const { prefix, hostBits } = canonical;
  if (hostBits) yaml.problem(path, `${text} has bits set beyond its length`);
  const length = lengthOf(prefix);
  const longest = prefix.includes(":") ? 128 : 32;
  if (operator === undefined) return { prefix, low: length, high: length };
  if (operator === "-") {
    if (length < longest) return { prefix, low: length + 1, high: longest };
    yaml.problem(path, `${text}: there is no more specific prefix`);
    return undefined;
  }
  if (operator === "+") return { prefix, low: length, high: longest };
  const [low = 0, high = low] = operator.split("-").map(Number);
  if (low < length || high > longest || low > high) {
    yaml.problem(path, `${text}: lengths must be from ${length} to ${longest}, the smaller one first`);
    return undefined;
  }
  return { prefix, low, high };
}

const asNumber = (value: unknown): number | undefined =>
  isAsNumber(value) ? value : typeof value === "string" ? parseAsNumber(value) : undefined;

/** Numbers, ranges such as `300-310`, or `*` alone. */
function readAsNumbers(yaml: CheckedYaml, placed: readonly Placed[]): AsNumbers {
  if (placed.length === 1 && placed[0]?.value === "*") return "*";
  return placed.flatMap(({ value, path }): (number | [number, number])[] => {
    const asn = isAsNumber(value) ? value : undefined;
    if (asn !== undefined) return [asn];
    const [, first, last] = /^(\d{1,10})\s*-\s*(\d{1,10})$/.exec(shown(value)) ?? [];
    const range = [asNumber(first), asNumber(last)] as const;
    if (range[0] === undefined || range[1] === undefined || range[0] > range[1]) {
      yaml.problem(path, `${shown(value)} is neither an AS number nor a range of AS numbers, the smaller one first`);
      return [];
    }
    return [[range[0], range[1]]];
  });
}

function readAnnotations(yaml: CheckedYaml, value: unknown, path: Path, where: string): Annotation[] {
  const annotations: Annotation[] = [];
  const wrong = (at: Path, reason: string): void => yaml.problem(at, `${where}.community_annotations: ${reason}`);
  if (!Array.isArray(value)) {
    wrong(path, "must be a list");
    return annotations;
  }
  for (const [index, outer] of value.entries()) {
    if (!isObject(outer)) {
      wrong([...path, index], "each entry must be a mapping of a name");
      continue;
    }
    for (const [name, inner] of Object.entries(outer)) {
      const at = [...path, index, name];
      if (annotations.some((other) => other.name === name)) wrong(at, `${name} appears twice`);
      if (!Array.isArray(inner)) {
        wrong(at, `${name} must be a list`);
        continue;
      }
      annotations.push({
        name,
        conditions: inner.map((condition, place) => readCondition(condition, [...at, place], wrong)),
      });
    }
  }
  return annotations;
}

function readCondition(
  value: unknown,
  path: Path,
  wrong: (at: Path, reason: string) => void,
): Annotation["conditions"][number] {
  if (!isObject(value)) {
    wrong(path, "a condition must be a mapping of in and out");
    return { in: [], out: [] };
  }
  for (const key of Object.keys(value))
    if (key !== "in" && key !== "out") wrong([...path, key], `${key} is neither in nor out`);
  const communities = (key: string): string[] =>
    flat(value[key], [...path, key]).flatMap(({ value: community, path: at }) => {
      if (typeof community === "string" && /^\d+(:\d+)+$/.test(community)) return [community];
      wrong(at, `${shown(community)} is no community. Write it in quotes, such as '64496:100'`);
      return [];
    });
  return { in: communities("in"), out: communities("out") };
}

function readAutoignore(yaml: CheckedYaml, name: string, value: unknown): Autoignore | undefined {
  const path: Path = ["autoignore", name];
  const where = `autoignore.${name}`;
  if (!isObject(value)) {
    yaml.problem(path, `${where}: must be a mapping`);
    return undefined;
  }
  for (const field of Object.keys(value))
    if (!autoignoreFields.has(field)) yaml.warn([...path, field], `${where}.${field}: is not known and has no effect`);
  const prefixes = flat(value["prefixes"], [...path, "prefixes"]);
  if (prefixes.length === 0) yaml.problem(path, `${where}.prefixes: must list at least one prefix`);
  const number = (field: string): number => {
    const given = value[field] ?? 0;
    if (/^\d{1,9}$/.test(shown(given))) return Number(given);
    yaml.problem([...path, field], `${where}.${field}: must be a whole number`);
    return 0;
  };
  return {
    name,
    peers: number("thres_num_peers_seen"),
    ases: number("thres_num_ases_infected"),
    seconds: number("interval"),
    prefixes: prefixes.flatMap((each) => readRange(yaml, each.value, each.path) ?? []),
  };
}

/** The sources of updates are settings of the stack, which a file for detection does not change. */
function checkMonitors(yaml: CheckedYaml, monitors: readonly [string, unknown][]): void {
  for (const [name, value] of monitors) {
    const path: Path = ["monitors", name];
    if (name === "riperis") {
      const collectors = flat(value, path).flatMap((each) => collectorOf(shown(each.value)) ?? []);
      const wanted = collectors.length === 0 ? "" : ` and FEED_COLLECTORS=${collectors.join(",")}`;
      yaml.warn(path, `monitors.riperis: has no effect; sources are settings of the stack: FEED=ris-live${wanted}`);
    } else if (name === "exabgp") {
      yaml.warn(
        path,
        "monitors.exabgp: has no effect; sources are settings of the stack: FEED=exabgp and FEED_EXABGP_ADDRESS",
      );
      for (const { value: entry, path: at } of flat(value, path))
        for (const field of ["autoconf", "learn_neighbors"])
          if (isObject(entry) && field in entry)
            yaml.warn(at, `monitors.exabgp.${field}: has no effect; prefixes are not learned`);
    } else if (["bgpstreamlive", "bgpstreamkafka", "bgpstreamhist", "betabmp"].includes(name))
      yaml.warn(path, `monitors.${name}: is no source here. Load files of the collectors, or set FEED=ris-live`);
    else yaml.problem(path, `monitors.${name}: is no monitor`);
  }
}

/** Since 2022 RIPE RIS calls rrc00 rrc00.ripe.net, and ARTEMIS compares whole names. */
const collectorOf = (text: string): string | undefined => /^(rrc\d\d)(?:\.ripe\.net)?$/.exec(text)?.[1];
