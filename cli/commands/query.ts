import { readText, UnreadableText } from "@routeql/contract/written-text";
import { unreadable } from "@routeql/database-access/unreadable";
import type { Command } from "../foundation/command.ts";
import { Failure, messageOf } from "@routeql/host/failure";
import { accessOf } from "../access/access.ts";
import { graphql } from "../access/api-client.ts";
import { followLiveQuery, isSubscription } from "../access/live-query.ts";
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
    summary: "Logs in, runs a GraphQL query, mutation or subscription and prints the response.",
    operands: "QUERY",
    options: {
      ...loginOptions,
      file: { type: "string", value: "FILE", meaning: "read the query from a file" },
      variables: { type: "string", value: "JSON", meaning: "variables of the query" },
    },
    notes: [
      "npm run query -- '{ view_hijacks(limit: 3) { key prefix } }'",
      "A subscription prints a line for each answer until Ctrl-C.",
      "Exits with 1 when the response has errors. `npm run schema -- --role ROLE` prints the schema of a role.",
    ],
  },
  // Ctrl-C is the usual end of a subscription and needs no message.
  onInterrupt: "silent",
  endsWithOutput: true,
  run: async (stack, args, signal) => {
    const file = args.optionalText("file");
    const query = file === undefined ? args.rest.join(" ") : queryOf(file);
    if (query.trim() === "")
      throw new Failure("The command has no query to run", {
        remedy: `give one: npm run query -- '{ view_hijacks(limit: 3) { key prefix } }'`,
      });
    const variables = parsedVariables(args.optionalText("variables"));
    const [access, token] = [await accessOf(stack), await tokenFor(stack, args)];
    const print = (answer: unknown): void => console.log(JSON.stringify(answer));
    const response = await graphql(access, token, query, variables);
    if (isSubscription(response))
      return (await followLiveQuery(access, token, { query, variables }, print, signal)) ? 1 : 0;
    print(response);
    return "errors" in response ? 1 : 0;
  },
};
