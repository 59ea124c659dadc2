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

/** Fingerprints of findings, stable when files and lines move: rule, place, reason and, among equal ones, their number. */
export function identities(findings: readonly Finding[]): readonly string[] {
  const numbers = new Map<string, number>();
  return findings.map(({ rule, source, table, role, name, reason }) => {
    const described = JSON.stringify([rule, source, table, role, name, reason]);
    const number = (numbers.get(described) ?? 0) + 1;
    numbers.set(described, number);
    return `${described} ${number}`;
  });
}

export interface Divided {
  readonly added: readonly Finding[];
  readonly known: readonly Finding[];
}

/** Divides findings into new ones and those that the other list contains. */
export function divide(findings: readonly Finding[], others: readonly Finding[]): Divided {
  const known = new Set(identities(others));
  const own = identities(findings);
  const isKnown = (_finding: Finding, index: number) => known.has(own[index] ?? "");
  return { added: findings.filter((finding, index) => !isKnown(finding, index)), known: findings.filter(isKnown) };
}
