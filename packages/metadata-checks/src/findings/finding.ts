export type Severity = "error" | "warning" | "note";

/** What a finding is about; exceptions name the same. */
export interface Place {
  /** Of metadata with several sources. */
  readonly source?: string;
  /** `schema.name` */
  readonly table?: string;
  readonly role?: string;
  /** A relationship, function, column, session variable … */
  readonly name?: string;
}

/** One thing that was found. */
export interface Finding extends Place {
  readonly rule: string;
  readonly severity: Severity;
  /** Relative to the working directory. */
  readonly file: string | undefined;
  /** From 1. */
  readonly line: number | undefined;
  readonly reason: string;
  readonly remedy: string;
}

/** Notes tell; errors and warnings make the exit code 1. */
export const counts = ({ severity }: Pick<Finding, "severity">): boolean => severity !== "note";
