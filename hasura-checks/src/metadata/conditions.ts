import { sessionVariable } from "@routeql/metadata/filter-names";
import { redacted } from "../findings/secret-texts.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The items of a list; another value as a list of one item. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Known facts about the columns of the table of a condition. */
export interface Columns {
  /** Distinguishes columns from relationships. An empty condition on a relationship requires a related row. */
  readonly isColumn: (name: string) => boolean;
  /** Whether a column is NOT NULL. Only known with a database. */
  readonly isNeverNull: (name: string) => boolean;
}

/** Columns that a condition always compares with a session variable. @param keysOf own columns that a condition on a relation binds */
export function columnsHeldToSession(
  condition: unknown,
  keysOf: (relationship: string) => readonly string[] = () => [],
): readonly string[] {
  if (!isFields(condition)) return [];
  return Object.entries(condition).flatMap(([key, value]) => {
    if (/^[_$]and$/.test(key)) return listOf(value).flatMap((item) => columnsHeldToSession(item, keysOf));
    const keys = keysOf(key);
    if (keys.length > 0) return mentionsSession(value) ? keys : [];
    const compared = isFields(value) ? (value["_eq"] ?? value["$eq"] ?? value["_in"] ?? value["$in"]) : value;
    return !/^[_$]/.test(key) && sessionVariable(compared) !== undefined ? [key] : [];
  });
}

/** Whether a session variable is in a condition. A text in a list is none: Hasura takes it literally. */
export function mentionsSession(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item !== "string" && mentionsSession(item));
  if (typeof value === "string") return sessionVariable(value) !== undefined;
  return typeof value === "object" && value !== null && Object.values(value).some(mentionsSession);
}

export function conditionText(condition: unknown): string {
  if (isFields(condition) && Object.keys(condition).length === 0) return "is empty";
  const text = redacted(JSON.stringify(condition));
  return `${text.length <= 80 ? text : `${text.slice(0, 77)}...`} holds for every row`;
}
