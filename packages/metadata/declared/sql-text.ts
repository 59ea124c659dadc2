/** A name as SQL has it after a dot; quoted only where it has to be. */
export function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A text as an SQL literal; Postgres takes it for a value of whatever type stands on the other side. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
