import { fileURLToPath } from "node:url";
import { clientConfig, LibpqClient, type LibpqConfig } from "@routeql/contract/connection/client";
import { readConnection } from "@routeql/contract/connection/connection";
import { schemaText, UnknownRole } from "@routeql/engine/execution/schema-text";
import { MetadataError } from "@routeql/metadata/read/problems";
import { openDatabase } from "../database/open-database.ts";
import type { Command } from "../foundation/command.ts";
import { Failure, messageOf } from "@routeql/host/failure";

const ownMetadata = fileURLToPath(new URL("../../hasura-metadata", import.meta.url));

/** The catalogue arrives as JSON text, which its reader parses. */
const asText = { getTypeParser: () => (value: unknown) => value };

interface Wanted {
  readonly role: string;
  readonly metadata: string;
  readonly allowUnsupported: boolean;
}

async function print(config: LibpqConfig, { role, metadata, allowUnsupported }: Wanted): Promise<void> {
  const client = new LibpqClient(config);
  // The query itself fails with the reason. Without a listener, the second report of the error would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    const ask = async (text: string, values: readonly unknown[]): Promise<string | null> => {
      const { rows } = await client.query<[string | null]>({
        text,
        values: [...values],
        rowMode: "array",
        types: asText,
      });
      return rows[0]?.[0] ?? null;
    };
    process.stdout.write(`${await schemaText({ metadata, role, allowUnsupported, ask })}\n`);
  } catch (error) {
    throw explained(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function configOf(url: string): LibpqConfig {
  try {
    return clientConfig(readConnection(url));
  } catch (error) {
    throw new Failure(`--database is not usable: ${messageOf(error)}`, {
      remedy: "give an address such as postgres://user:password@db.example.net:5432/app.",
      cause: error,
    });
  }
}

function explained(error: unknown): Failure {
  if (error instanceof UnknownRole)
    return new Failure(`The role does not exist: ${error.message}`, {
      remedy: `use one of ${error.roles.join(", ")}.`,
    });
  if (error instanceof MetadataError) return new Failure(error.message);
  return new Failure(`The database cannot be read: ${messageOf(error)}`, {
    remedy: "check the address and the rights of --database; without it, `npm run status` shows the stack's database.",
    cause: error,
  });
}

export const command: Command = {
  description: {
    name: "schema",
    summary: "Prints the GraphQL schema of a role as SDL, sorted by name.",
    options: {
      role: { type: "string", value: "ROLE", meaning: "the role; admin has access to everything" },
      metadata: {
        type: "string",
        value: "PATH",
        meaning: "a metadata directory or exported file; default: the project's own metadata",
      },
      database: {
        type: "string",
        value: "URL",
        meaning: "the Postgres database that the metadata describes; default: that of the running stack",
      },
      "allow-unsupported": { type: "boolean", meaning: "omit the objects that the embedded engine does not serve" },
    },
    notes: [
      "Two revisions can be compared by line: npm run --silent schema -- --role viewer >viewer.graphql",
      "The command writes nothing to the database, and reads only the rows of enum tables.",
    ],
  },
  run: async (stack, args) => {
    const role = args.optionalText("role");
    if (role === undefined) throw new Failure("Which role's schema?", { remedy: "give --role ROLE." });
    const wanted = {
      role,
      metadata: args.optionalText("metadata") ?? ownMetadata,
      allowUnsupported: args.flag("allow-unsupported"),
    };
    const connectionString = args.optionalText("database");
    if (connectionString !== undefined) return print(configOf(connectionString), wanted);
    const database = await openDatabase(stack, "engine");
    try {
      return await print(database.config, wanted);
    } finally {
      await database.close();
    }
  },
};
