import { fileURLToPath } from "node:url";
import { Client, type ClientConfig } from "pg";
import { schemaText, UnknownRole } from "@routeql/engine/schema-text";
import { MetadataError } from "@routeql/metadata/read/problems";
import { openDatabase } from "../database/open-database.ts";
import type { Command } from "../foundation/command.ts";
import { Failure, messageOf } from "@routeql/host/failure";
import { runInterruptibly } from "./options.ts";

const ownMetadata = fileURLToPath(new URL("../../hasura-metadata", import.meta.url));

/** The catalogue comes as JSON, which its reader parses itself. */
const asText = { getTypeParser: () => (value: unknown) => value };

interface Wanted {
  readonly role: string;
  readonly metadata: string;
  readonly allowUnsupported: boolean;
}

async function print(config: ClientConfig, { role, metadata, allowUnsupported }: Wanted): Promise<number> {
  const client = new Client(config);
  // What was asked fails with the reason; a second report of it would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const ask = async (text: string, values: readonly unknown[]): Promise<string | null> => {
      const { rows } = await client.query<[string | null]>({ text, values: [...values], rowMode: "array", types: asText });
      return rows[0]?.[0] ?? null;
    };
    process.stdout.write(`${await schemaText({ metadata, role, allowUnsupported, ask })}\n`);
    return 0;
  } catch (error) {
    throw explained(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function explained(error: unknown): Failure {
  if (error instanceof UnknownRole) return new Failure(`There is no such role: ${error.message}`, { remedy: `use one of ${error.roles.join(", ")}.` });
  if (error instanceof MetadataError) return new Failure(error.message);
  return new Failure(`The database cannot be read: ${messageOf(error)}`);
}

export const command: Command = {
  description: {
    name: "schema",
    summary: "Prints the GraphQL schema that a role sees, as SDL in the order of names.",
    options: {
      role: { type: "string", value: "ROLE", meaning: "the role; admin sees everything" },
      metadata: { type: "string", value: "PATH", meaning: "a metadata directory or exported file; default: the kit's own" },
      database: { type: "string", value: "URL", meaning: "the Postgres that the metadata are about; default: that of the running stack" },
      "allow-unsupported": { type: "boolean", meaning: "leave out what the embedded engine does not serve" },
    },
    notes: [
      "Two revisions compare line by line: npm run --silent schema -- --role viewer >viewer.graphql",
      "Nothing is written to the database, and no row is read but those of enum tables.",
    ],
  },
  run: (stack, args) =>
    runInterruptibly(async () => {
      const role = args.optionalText("role");
      if (role === undefined) throw new Failure("Which role's schema?", { remedy: "give --role ROLE." });
      const wanted = { role, metadata: args.optionalText("metadata") ?? ownMetadata, allowUnsupported: args.flag("allow-unsupported") };
      const connectionString = args.optionalText("database");
      if (connectionString !== undefined) return print({ connectionString }, wanted);
      const database = await openDatabase(stack, "engine");
      try {
        return await print(database.config, wanted);
      } finally {
        await database.close();
      }
    }),
};
