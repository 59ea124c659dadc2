import type { Finding } from "./finding.ts";

/**
 * By what each finding is known again when files move and lines shift: its rule, what it is about, why, and, of those that are alike in all that, which one of them it is.
 * @returns in the order of the findings, each once
 */
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

/** Parts findings in those that others do not hold, and those that they do. */
export function divide(findings: readonly Finding[], others: readonly Finding[]): Divided {
  const known = new Set(identities(others));
  const own = identities(findings);
  const isKnown = (_finding: Finding, index: number) => known.has(own[index] ?? "");
  return { added: findings.filter((finding, index) => !isKnown(finding, index)), known: findings.filter(isKnown) };
}
