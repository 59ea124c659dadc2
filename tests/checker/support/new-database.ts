import { randomBytes } from "node:crypto";
import { Client } from "pg";

export async function execute(address: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The address of a new database of the server, in which the statements have run. */
export async function newDatabase(server: { readonly address: string }, ...statements: readonly string[]) {
  const name = `foreign_${randomBytes(4).toString("hex")}`;
  await execute(server.address, `create database ${name}`);
  const address = new URL(server.address);
  address.pathname = `/${name}`;
  await execute(address.href, ...statements);
  return address.href;
}
