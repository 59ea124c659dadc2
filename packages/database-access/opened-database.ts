import { LibpqClient, type LibpqConfig } from "@routeql/contract/connection/client";
import type { Client } from "pg";

/** A connection to one database, such as a tunnel into a stack, that its owner has to close. */
export interface OpenedDatabase {
  /** Host, user, password and database; or, instead of host and port, an open `stream`. */
  readonly config: LibpqConfig;
  close(): Promise<void>;
}

/** Opens a new connection to the database as the role `routeql_loader`. */
export type OpenDatabase = () => Promise<OpenedDatabase>;

export interface CommandOutput {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Runs work on one connection; its statement ends with the command, instead of holding locks. @param name its application_name */
export async function withClient<T>(
  openDatabase: OpenDatabase,
  name: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const database = await openDatabase();
  const client = new LibpqClient({ ...database.config, application_name: name });
  client.on("error", () => {}); // a broken connection fails the next statement
  try {
    await client.connect();
    await client.query("set client_connection_check_interval = '1s'");
    return await work(client);
  } finally {
    await client.end().catch(() => {});
    await database.close();
  }
}
