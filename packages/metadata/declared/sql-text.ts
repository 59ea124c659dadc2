/** A name in SQL after a dot, in quotes only if necessary. */
export function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A text as an untyped SQL literal. Postgres infers its type from the other operand. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
