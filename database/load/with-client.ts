import { Client } from "pg";
import type { OpenDatabase } from "./opened-database.ts";

/**
 * Does a command's work over one connection, which is closed after it.
 * A statement whose command has gone ends within a second too, and with it its transaction: it would go on for minutes for nobody, and keep others waiting.
 * @param name how the connection is called in pg_stat_activity
 */
export async function withClient<T>(openDatabase: OpenDatabase, name: string, work: (client: Client) => Promise<T>): Promise<T> {
  const database = await openDatabase();
  const client = new Client({ ...database.config, application_name: name });
  client.on("error", () => {}); // a connection that breaks shows at the next statement
  try {
    await client.connect();
    await client.query("set client_connection_check_interval = '1s'");
    return await work(client);
  } finally {
    await client.end().catch(() => {});
    await database.close();
  }
}
