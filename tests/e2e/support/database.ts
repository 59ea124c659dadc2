import { Client } from "pg";
import { afterAll } from "vitest";
import { openDatabase } from "../../../infra/local/api.ts";
import { stack } from "./stack.ts";

type Role = "owner" | "sidecar" | "loader";

const connections = new Map<Role, Promise<{ client: Client; close: () => Promise<void> }>>();

afterAll(async () => {
  for (const connection of connections.values()) await (await connection).close();
  connections.clear();
});

/** A connection to the stack's own database through the tunnel of the kit's commands; one a role and test file, closed at its end. */
export async function database(role: Role): Promise<Client> {
  let connection = connections.get(role);
  if (connection === undefined) {
    connection = open(role);
    connections.set(role, connection);
  }
  return (await connection).client;
}

async function open(role: Role): Promise<{ client: Client; close: () => Promise<void> }> {
  const opened = await openDatabase(stack.name, role);
  const client = new Client(opened.config);
  // The suite kills the database on purpose; the next use opens a new way to it.
  client.on("error", () => connections.delete(role));
  await client.connect();
  const close = async (): Promise<void> => {
    await client.end();
    await opened.close();
  };
  return { client, close };
}
