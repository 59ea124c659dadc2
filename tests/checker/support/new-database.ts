import { randomBytes } from "node:crypto";
import { execute } from "../../harness/execute.ts";

/** The address of a new database of the server, in which the statements have run. */
export async function newDatabase(server: { readonly address: string }, ...statements: readonly string[]) {
  const name = `foreign_${randomBytes(4).toString("hex")}`;
  await execute(server.address, `create database ${name}`);
  const address = new URL(server.address);
  address.pathname = `/${name}`;
  await execute(address.href, ...statements);
  return address.href;
}
