import { randomBytes } from "node:crypto";
import { clientConfig, LibpqPoolClient } from "@routeql/contract/connection/client";
import { readConnection } from "@routeql/contract/connection/connection";
import { inCurrentSpan } from "@routeql/tracing/span";
import pg from "pg";
import type { Logger } from "pino";
import { Unavailable } from "./errors.ts";

/** A named statement that Postgres prepares once for each connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface Queries {
  /** @throws {Unavailable} when Postgres does not answer in time or cannot serve this role yet */
  query<Row extends pg.QueryResultRow>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}

/** Advisory locks with which replicas do a job only once. auth.take_turn accepts no others. */
export const locks = { signingKeys: 7_201_001, directoryAccounts: 7_201_003 } as const;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** The connections' application_name in pg_stat_activity. Replicas have different names; see {@link replicaName}. */
  readonly name?: string;
  readonly log: Logger;
}

export const replicaName = (): string => `auth-sidecar ${randomBytes(4).toString("hex")}`;

/** Postgres. Its role limits statements to 10 seconds, as a commit waits for a busy disk; this client waits a little longer for the error. */
export class Database implements Queries {
  readonly #pool: pg.Pool;

  constructor({ url, poolSize, log, name = "auth-sidecar-command" }: DatabaseOptions) {
    this.#pool = new pg.Pool({
      ...clientConfig(readConnection(url)),
      Client: LibpqPoolClient,
      max: poolSize,
      application_name: name,
      connectionTimeoutMillis: 5000,
      query_timeout: 10_500,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
    });
    this.#pool.on("error", (error) => log.warn({ err: error }, "an idle connection to the database broke"));
  }

  query<Row extends pg.QueryResultRow>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    return inDatabaseSpan(statement, () =>
      guarded(async () => (await this.#pool.query<Row>({ ...statement, values: [...values] })).rows),
    );
  }

  /** Runs `work` in a transaction that holds one of {@link locks}; replicas that ask for the same lock wait. */
  locked<Result>(lock: number, work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return guarded(async () => {
      const client = await this.#pool.connect();
      let failure: Error | undefined;
      try {
        await client.query("begin");
        await client.query("select auth.take_turn($1)", [lock]);
        const result = await work({
          query: <Row extends pg.QueryResultRow>(statement: Statement, values: readonly unknown[] = []) =>
            inDatabaseSpan(
              statement,
              async () => (await client.query<Row>({ ...statement, values: [...values] })).rows,
            ),
        });
        await client.query("commit");
        return result;
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        throw error;
      } finally {
        client.release(failure);
      }
    });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** The statement's name stands for its text. Values are omitted. */
function inDatabaseSpan<Result>({ name }: Statement, work: () => Promise<Result>): Promise<Result> {
  return inCurrentSpan(name, "client", { "db.system.name": "postgresql", "db.query.summary": name }, work);
}

async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isOutage(error) ? new Unavailable("database", error) : error;
  }
}

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
