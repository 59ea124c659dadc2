import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { runInterruptibly } from "./options.ts";
import type { Command, ParsedArguments } from "../foundation/command.ts";
import { accessOf } from "../stack/access.ts";
import { accessToken } from "../stack/api-client.ts";

/** Options of the commands that log in. */
export const loginOptions = {
  email: {
    type: "string",
    value: "EMAIL",
    meaning: "another account; its password comes from a prompt or from standard input",
  },
} as const;

/** A token for the stack's administrator, or for the account in `--email`. */
export async function tokenFor(stack: string, args: ParsedArguments): Promise<string> {
  const access = await accessOf(stack);
  const email = args.optionalText("email") ?? access.adminEmail;
  const password = args.optionalText("email") === undefined ? access.adminPassword : await readPassword(email);
  return accessToken(access, { email, password });
}

export const command: Command = {
  description: {
    name: "token",
    summary: "Logs in and prints an access token, for your own GraphQL client.",
    options: loginOptions,
    notes: [
      "The token is valid for 15 minutes, or for TOKEN_LIFE_SECONDS. Send it as `Authorization: Bearer <token>`.",
      "In scripts: token=$(npm run --silent token)",
    ],
  },
  run: (stack, args) =>
    runInterruptibly(async () => {
      console.log(await tokenFor(stack, args));
      return 0;
    }),
};

/** A password: from a prompt without echo on a terminal, otherwise from standard input without its trailing newline. */
export async function readPassword(email: string, input: NodeJS.ReadStream = process.stdin): Promise<string> {
  if (!input.isTTY) return (await text(input)).replace(/\r?\n$/, "");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: true });
  try {
    process.stderr.write(`Password of ${email}: `);
    const password = await lines.question("");
    process.stderr.write("\n");
    return password;
  } finally {
    lines.close();
  }
}
