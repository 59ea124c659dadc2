export interface Problem {
  /** Path of the file relative to the metadata directory. */
  readonly file: string;
  /** Path inside the file, e.g. `select_permissions[0].permission.filter.id`. */
  readonly path: string;
  /** Line of the file, from 1; absent without a file. */
  readonly line?: number;
  readonly reason: string;
  /** `unsupported`: Hasura serves it and this engine does not. `inconsistent`: it does not fit the database. */
  readonly kind: "invalid" | "unsupported" | "inconsistent";
  /** Hasura ignores it. */
  readonly passedOver?: true;
  /** Place in the merged metadata; empty for a problem of a whole file. */
  readonly at: readonly (string | number)[];
}

/** An object that is not served, as `get_inconsistent_metadata` lists it. */
export interface Inconsistency extends Problem {
  /** Hasura's name of the object's kind, e.g. `table`, `object_relationship`, `select_permission`. */
  readonly type: string;
  readonly name: string;
  readonly definition: unknown;
}

/** Metadata that cannot be served, with all its problems. */
export class MetadataError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(
      `metadata: ${problems.length} problem${problems.length === 1 ? "" : "s"}\n${problems.map(describeProblem).join("\n")}`,
    );
    this.name = "MetadataError";
    this.problems = problems;
  }
}

export function describeProblem({ file, line, path, reason }: Problem): string {
  return `  ${file}${line === undefined ? "" : `:${line}`}${path === "" ? "" : `: ${path}`}: ${reason}`;
}
