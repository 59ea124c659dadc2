import type { ClientConfig } from "pg";

/** A connection to one database, such as a tunnel into a stack, that its owner has to close. */
export interface OpenedDatabase {
  /** Host, user, password and database; or, instead of host and port, an open `stream`. */
  readonly config: ClientConfig;
  close(): Promise<void>;
}

/** Opens a new connection to the database as the role `routeql_loader`. */
export type OpenDatabase = () => Promise<OpenedDatabase>;

/** Output of a command; by default the process' own streams. */
export interface CommandOutput {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}
