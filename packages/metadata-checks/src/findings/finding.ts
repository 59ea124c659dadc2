export type Severity = "error" | "warning" | "note";

/** The object of a finding. Exceptions use the same names. */
export interface Place {
  /** Name of the source, if there are several. */
  readonly source?: string;
  /** `schema.name` */
  readonly table?: string;
  readonly role?: string;
  /** A relationship, function, column, session variable … */
  readonly name?: string;
}

/** One problem or note. */
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

/** Whether a finding sets the exit code 1. Notes do not. */
export const counts = ({ severity }: Pick<Finding, "severity">): boolean => severity !== "note";
