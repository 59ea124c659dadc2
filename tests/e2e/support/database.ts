import { Client } from "pg";
import { openDatabase } from "../../../infra/local/api.ts";
import { stack } from "./stack.ts";

/** A connection to the stack's own database, through the tunnel that the kit's commands use; closed by `await using`. */
export async function database(role: "owner" | "sidecar" | "loader"): Promise<Client & AsyncDisposable> {
  const opened = await openDatabase(stack.name, role);
  const client = new Client(opened.config);
  await client.connect();
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await opened.close();
    },
  });
}
