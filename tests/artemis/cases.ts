import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A message of a case file, as ARTEMIS's taps send it. */
export interface Sent {
  readonly key: string;
  readonly timestamp: number;
  readonly type: "A" | "W";
  readonly path: readonly number[];
  readonly prefix: string;
  readonly peer_asn: number;
  readonly service: string;
  readonly communities: readonly { readonly asn: number; readonly value: number }[];
}

type Expected = Readonly<Record<string, unknown>>;

/** A message, and what ARTEMIS answers; a list has successive answers. */
export interface Step {
  readonly send: Sent;
  readonly detection_update_response?: Expected | readonly Expected[];
  readonly detection_hijack_response?: Expected | readonly Expected[];
  readonly database_hijack_response?: Expected | readonly Expected[];
}

export interface CaseFile {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Text of its configuration file. */
  readonly configuration: string;
  /** Whether silence is part of the case. */
  readonly waits: boolean;
}

/** Its test resolves this set on RIPE's site and gets this member. */
const resolved = (text: string): string =>
  text.replace(/(AS-AMS-IX-PEERS: &\S+\s+)\[1\]/, (_, name: string) => `${name}[42]`);

/** The case files of a checkout of ARTEMIS. */
export function readCases(source: string): CaseFile[] {
  return ["detection", "autoignore"].flatMap((area) => {
    const folder = join(source, "testing", area);
    const configuration = resolved(readFileSync(join(folder, "configs/config.yaml"), "utf8"));
    return readdirSync(join(folder, "testfiles"))
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .map((name) => ({
        name: `${area}/${name}`,
        steps: JSON.parse(readFileSync(join(folder, "testfiles", name), "utf8")) as Step[],
        configuration,
        waits: area === "autoignore",
      }));
  });
}

/** Fields of answers that RouteQL has no counterpart of, with the reason. */
export const notCompared: Readonly<Record<string, string>> = {
  key: "text keys of the case files; a row here has the hash of its content",
  monitor_keys: "keys of ARTEMIS's cache",
  bgpupdate_keys: "keys of ARTEMIS's cache",
  time_detected: "the clock of the run",
  timestamp_of_config: "the clock of the run",
  end_tag: "a field of ARTEMIS's notifications",
};

/** Fields that a row or record has; others are listed. */
export function differences(
  expected: Expected,
  actual: Readonly<Record<string, unknown>> | undefined,
  start: number,
  skipped: Map<string, number>,
): string[] {
  if (actual === undefined) return ["there is no such row"];
  return Object.entries(expected).flatMap(([field, value]) => {
    if (field in notCompared || !(field in actual)) {
      skipped.set(field, (skipped.get(field) ?? 0) + 1);
      return [];
    }
    const wanted = field.startsWith("time") && typeof value === "number" ? value + start : value;
    const shown = comparable(actual[field]);
    return comparable(wanted) === shown ? [] : [`${field} is ${shown}, expected ${comparable(wanted)}`];
  });
}

/** Lists are compared as sets. */
const comparable = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? [...new Set(value as unknown[])].map(String).toSorted() : value);
