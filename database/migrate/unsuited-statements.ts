/** Statements that fail in every migration. */
import { sqlStatements } from "./sql-statements.ts";

const insertInstead = "write insert statements, as pg_dump --inserts does";

export const remedies = {
  psql: "It is a command of psql, not SQL. Remove the lines that begin with a backslash, such as those that pg_dump writes",
  transaction: "Remove begin, commit and rollback: each file is a transaction",
  rows: `Rows after copy … from stdin are not SQL: ${insertInstead}`,
  copy: `Remove copy … to stdout. In place of copy … from stdin: ${insertInstead}`,
  concurrently: "Remove concurrently: each file is a transaction",
  outside: "Remove the statement: each file is a transaction",
  maintenance: "Remove the statement, and run it with: npm run psql -- -c 'STATEMENT'",
} as const;

const unsuited: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/^\\/, remedies.psql],
  [
    /^(?:BEGIN|START TRANSACTION|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE TRANSACTION)\b/,
    remedies.transaction,
  ],
  [/^COPY\b.*\b(?:FROM STDIN|TO STDOUT)\b/, remedies.copy],
  [/^(?:CREATE (?:UNIQUE )?|DROP )INDEX CONCURRENTLY\b|^REINDEX .*\bCONCURRENTLY\b/, remedies.concurrently],
  [/^VACUUM\b|^CLUSTER$|^REINDEX (?:\(.*\) )?(?:DATABASE|SYSTEM)\b/, remedies.maintenance],
  [/^(?:CREATE|DROP) (?:DATABASE|TABLESPACE)\b|^ALTER SYSTEM\b|^DISCARD ALL$/, remedies.outside],
];

/** Why Postgres refuses a migration, if its text alone shows it. */
export function unsuitedProblem(content: string): string | undefined {
  const { statements, unended } = sqlStatements(content);
  for (const { line, words } of statements) {
    const remedy = unsuited.find(([pattern]) => pattern.test(words))?.[1];
    if (remedy !== undefined)
      return `has a statement in line ${line} that no migration can run: ${words.slice(0, 60)}. ${remedy}`;
  }
  return unended === undefined ? undefined : `has no end of ${unended.begin} that begins in line ${unended.line}`;
}
