import type { MergedPath } from "@routeql/metadata/read/load";
import type { Place } from "../findings/finding.ts";

/** `changed`: whether the change is wider is not decided. */
export type Direction = "wider" | "narrower" | "changed";

export interface AccessChange extends Place {
  /** Place in the later revision; for a removed object, its nearest parent. */
  readonly at: MergedPath;
  readonly direction: Direction;
  readonly reason: string;
}

/** A change for each name that a list gained or lost. */
export function eachChange<Change>(
  old: readonly string[],
  now: readonly string[],
  change: (name: string, direction: Direction) => Change,
): Change[] {
  return [
    ...now.filter((name) => !old.includes(name)).map((name) => change(name, "wider")),
    ...old.filter((name) => !now.includes(name)).map((name) => change(name, "narrower")),
  ];
}
