import type { MergedPath } from "@routeql/metadata/read/load";

/** Reports an object that does not fit the database, or one that fits and is `unsupported` by this engine. */
export type Report = (path: MergedPath, type: string, name: string, reason: string, kind?: "inconsistent" | "unsupported") => void;

const objectTypes: Readonly<Record<string, string>> = { tables: "table", functions: "function", logical_models: "logical_model", native_queries: "native_query" };

/** Hasura's name of the kind of object that a place of a source belongs to. */
export function objectTypeAt(path: MergedPath): string {
  return path.map((part) => objectTypes[part]).find((type) => type !== undefined) ?? "source";
}

/** Reports one thing, and gives nothing in its place. */
export type Fail = (reason: string, kind?: "inconsistent" | "unsupported") => undefined;

export function failing(report: Report, path: MergedPath, type: string, name: string): Fail {
  return (reason, kind) => {
    report(path, type, name, reason, kind);
    return undefined;
  };
}
