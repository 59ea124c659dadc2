import type { ClientConfig } from "pg";

/** A way to one database, such as a tunnel into a stack, that whoever opened it has to close. */
export interface OpenedDatabase {
  /** Host, user, password and database; or, in the place of host and port, a `stream` that is already there. */
  readonly config: ClientConfig;
  close(): Promise<void>;
}

/** Opens a way to the database as the role `routeql_loader`; every call gives a new one. */
export type OpenDatabase = () => Promise<OpenedDatabase>;

/** Where a command writes; the process' own streams by default. */
export interface CommandOutput {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}
