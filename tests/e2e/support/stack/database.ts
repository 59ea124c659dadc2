import { Client } from "pg";
import { openDatabase } from "@routeql/cli/database/open-database";
import { stack } from "./stack.ts";

type Role = "owner" | "sidecar" | "loader";

const connections = new Map<Role, Promise<{ client: Client; close: () => Promise<void> }>>();

/** Closes all connections; after-each-file.ts calls it at the end of each test file. */
export async function closeDatabases(): Promise<void> {
  const open = [...connections.values()];
  connections.clear();
  for (const connection of open) await (await connection).close();
}

/** A connection to the stack's own database through the tunnel of the kit's commands. Each role and test file has one; it is closed at the end. */
export async function database(role: Role): Promise<Client> {
  let connection = connections.get(role);
  if (connection === undefined) {
    connection = open(role);
    connections.set(role, connection);
    // A restarting database rejects connections for a while; the next use connects again.
    connection.catch(() => connections.delete(role));
  }
  return (await connection).client;
}

async function open(role: Role): Promise<{ client: Client; close: () => Promise<void> }> {
  const opened = await openDatabase(stack.name, role);
  const client = new Client(opened.config);
  // The suite kills the database on purpose; the next use connects again.
  client.on("error", () => connections.delete(role));
  const close = async (): Promise<void> => {
    await client.end().catch(() => undefined);
    await opened.close();
  };
  try {
    await client.connect();
  } catch (error) {
    await close();
    throw error;
  }
  oneAfterAnother(client);
  return { client, close };
}

/** pg requires its callers to wait for one statement before the next; concurrent tests share one connection. */
function oneAfterAnother(client: Client): void {
  const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  client.query = ((...given: unknown[]) => {
    const next = last.then(() => query(...given));
    last = next.catch(() => undefined);
    return next;
  }) as Client["query"];
}
