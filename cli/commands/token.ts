import { readSecret } from "@routeql/auth-sidecar/administration/read-password";
import type { Command, ParsedArguments } from "../foundation/command.ts";
import { accessOf } from "../access/access.ts";
import { accessToken } from "../access/api-client.ts";

export const loginOptions = {
  email: {
    type: "string",
    value: "EMAIL",
    meaning: "another account; its password comes from a prompt or from standard input",
  },
} as const;

export async function tokenFor(stack: string, args: ParsedArguments): Promise<string> {
  const access = await accessOf(stack);
  const { adminEmail, adminPassword } = access;
  const email = args.optionalText("email");
  if (email === undefined) return accessToken(access, { email: adminEmail, password: adminPassword });
  const [password = ""] = await readSecret([`Password of ${email}: `]);
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
  run: async (stack, args) => {
    console.log(await tokenFor(stack, args));
  },
};
