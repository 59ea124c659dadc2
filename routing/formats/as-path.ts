import { isAsNumber, parseAsNumber } from "@routeql/database-access/number-resources";
import { Refusal } from "./refusal.ts";

/** A path from the monitor to the origin; a nested list is an AS set (RFC 4271 section 4.3), which is unordered. */
export type AsPath = readonly (number | readonly number[])[];

/** Limit of rows for one announcement. Sets are rare and small (RFC 6472), so a larger product is not routing data. */
const MOST_ROWS = 1000;

const confederation = new Refusal("the path holds confederation segments");
const malformed = new Refusal("the path is not a list of AS numbers and AS sets");
const tooManyMembers = new Refusal(`the path's AS sets would become more than ${MOST_ROWS} rows`);

/** Reads the path as `bgpdump` prints it: AS numbers separated by spaces, sets as `{64496,64497}`; empty for an empty path. */
export function parsePathText(text: string): AsPath | Refusal {
  if (text === "") return [];
  const path: (number | number[])[] = [];
  for (const word of text.split(" ")) {
    const element = word.startsWith("{") ? parseSet(word) : parseAsNumber(word);
    if (element === undefined) return /[()[\]]/.test(text) ? confederation : malformed;
    path.push(element);
  }
  return path;
}

function parseSet(word: string): number[] | undefined {
  if (!word.endsWith("}")) return undefined;
  const members = word.slice(1, -1).split(",").map(parseAsNumber);
  return members.every((member) => member !== undefined) ? members : undefined;
}

/** Reads the path of RIPEstat JSON: a list of AS numbers; a set is a nested list, or text in braces. */
export function parsePathJson(value: unknown): AsPath | Refusal {
  if (!Array.isArray(value)) return malformed;
  const path: (number | readonly number[])[] = [];
  for (const element of value as unknown[]) {
    if (isAsNumber(element)) path.push(element);
    else if (Array.isArray(element) && element.length > 0 && element.every(isAsNumber)) path.push(element);
    else if (typeof element === "string") {
      const parsed = parsePathText(element);
      if (parsed instanceof Refusal) return parsed;
      path.push(...parsed);
    } else return malformed;
  }
  return path;
}

export interface ExpandedPath {
  /** One path for each row; more than one only with a set of several members. */
  readonly rows: readonly (readonly number[])[];
  /** JSON text of the announced path if it contained a set, otherwise null. */
  readonly original: string | null;
}

/** Expands AS sets: one row for every choice of one member of each. */
export function expandPath(path: AsPath): ExpandedPath | Refusal {
  if (path.every((element) => typeof element === "number")) return { rows: [path], original: null };
  let rows: number[][] = [[]];
  for (const element of path) {
    const members = typeof element === "number" ? [element] : new Set(element);
    const grown: number[][] = [];
    for (const row of rows) {
      for (const member of members) grown.push([...row, member]);
      if (grown.length > MOST_ROWS) return tooManyMembers;
    }
    rows = grown;
  }
  return { rows, original: JSON.stringify(path) };
}
