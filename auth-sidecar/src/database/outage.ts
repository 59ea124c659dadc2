import pg from "pg";

/** SQLSTATE classes and codes of a temporary failure, not of a wrong statement. PostgreSQL manual, appendix A. */
const outages = [
  /^08/, // connection exception
  /^53/, // insufficient resources
  /^55P03$/, // lock not available
  /^57/, // operator intervention, statement timeout
  /^58/, // system error
  /^25006$/, // read-only transaction: a standby
  /^28/, // role or password not there yet
  /^3D000$/, // database not there yet
  /^3F000$/, // schema not there yet
  /^42(P01|703|501)$/, // table, column or grant not there yet: migrations still run
];

/** True when the database cannot serve now. Any error that is not an answer of Postgres is a connection error. */
export function isOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return outages.some((pattern) => pattern.test(error.code ?? ""));
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (
    (code !== undefined && /^E[A-Z_]+$/.test(code) && !code.startsWith("ERR_")) ||
    /timeout|timed? out|terminated|connection|ended/i.test(error.message)
  );
}
