import { readText, UnreadableText } from "@routeql/contract/written-text";
import { unreadable } from "@routeql/database-access/unreadable";
import type { Command } from "../foundation/command.ts";
import { Failure, messageOf } from "@routeql/host/failure";
import { accessOf } from "../access/access.ts";
import { graphql } from "../access/api-client.ts";
import { loginOptions, tokenFor } from "./token.ts";

function parsedVariables(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(`--variables is not JSON: ${messageOf(error)}`, {
      remedy: `give an object, such as --variables '{"limit": 5}'.`,
      cause: error,
    });
  }
}

/** @throws Failure for a file that is missing or is not text */
export function queryOf(file: string): string {
  try {
    return readText(file);
  } catch (error) {
    const reason = error instanceof UnreadableText ? error.message : `cannot be read: ${unreadable(error)}`;
    throw new Failure(`The file of --file, ${file}, ${reason}`, {
      remedy: "name a file with one GraphQL query.",
      cause: error,
    });
  }
}

export const command: Command = {
  description: {
    name: "query",
    summary: "Logs in, runs a GraphQL query and prints the response.",
    operands: "QUERY",
    options: {
      ...loginOptions,
      file: { type: "string", value: "FILE", meaning: "read the query from a file" },
      variables: { type: "string", value: "JSON", meaning: "variables of the query" },
    },
    notes: [
      "npm run query -- '{ view_hijacks(limit: 3) { key prefix } }'",
      "Exits with 1 when the response has errors. `npm run schema -- --role ROLE` prints the schema of a role.",
    ],
  },
  run: async (stack, args) => {
    const file = args.optionalText("file");
    const query = file === undefined ? args.rest.join(" ") : queryOf(file);
    if (query.trim() === "")
      throw new Failure("The command has no query to run", {
        remedy: `give one: npm run query -- '{ view_hijacks(limit: 3) { key prefix } }'`,
      });
    const variables = parsedVariables(args.optionalText("variables"));
    const response = await graphql(await accessOf(stack), await tokenFor(stack, args), query, variables);
    console.log(JSON.stringify(response));
    return "errors" in response ? 1 : 0;
  },
};
