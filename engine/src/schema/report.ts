import type { MergedPath } from "@routeql/metadata/read/load";

/** Reports an object that does not match the database, or a valid one that this engine does not support. */
export type Report = (
  path: MergedPath,
  type: string,
  name: string,
  reason: string,
  kind?: "inconsistent" | "unsupported",
) => void;

const objectTypes: Readonly<Record<string, string>> = {
  tables: "table",
  functions: "function",
  logical_models: "logical_model",
  native_queries: "native_query",
};

/** Hasura's kind of the object at a place of a source. */
export function objectTypeAt(path: MergedPath): string {
  return path.map((part) => objectTypes[part]).find((type) => type !== undefined) ?? "source";
}

/** Reports a problem and returns undefined. */
export type Fail = (reason: string, kind?: "inconsistent" | "unsupported") => undefined;

export function failing(report: Report, path: MergedPath, type: string, name: string): Fail {
  return (reason, kind) => {
    report(path, type, name, reason, kind);
    return undefined;
  };
}
