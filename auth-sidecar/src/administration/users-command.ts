import { isApplicationRole, type ApplicationRole, applicationRoles } from "@routeql/contract/roles";
import { emailAddress } from "../users/email-address.ts";
import type { Accounts } from "./accounts.ts";
import { AdministrationError } from "./administration-error.ts";
import type { Command } from "./command.ts";

/** `users …`: see usage. Gives the rows to print. */
export async function usersCommand(
  { words, options, readPassword }: Command,
  accounts: Accounts,
): Promise<readonly object[] | string> {
  const [verb, reference, role] = words;
  if (verb === "list") return accounts.list();
  if (reference === undefined) throw new AdministrationError("which account? Give its e-mail address or its id");
  if (verb === "add") {
    const email = emailAddress.safeParse(reference);
    if (!email.success) throw new AdministrationError(`${reference} is no e-mail address that a local account can have`);
    const added = {
      email: email.data,
      name: options.name ?? email.data,
      role: asRole(options.role),
      organisation: options.organisation,
    };
    return [await accounts.add({ ...added, password: await readPassword() })];
  }
  const account = await accounts.find(reference, options.provider);
  switch (verb) {
    case "show":
      return [{ ...account, sessions: (await accounts.sessions(account)).length }];
    case "role":
      await accounts.setRole(account, asRole(role), options.organisation);
      return [await accounts.find(account.id, account.provider)];
    case "disable":
      return `disabled; ${sessions(await accounts.disable(account))} ended`;
    case "enable":
      await accounts.enable(account);
      return "enabled";
    case "password":
      return `the password is changed; ${sessions(await accounts.setPassword(account, await readPassword()))} ended`;
    case "sessions":
      return accounts.sessions(account);
    case "end-sessions":
      return `${sessions(await accounts.endSessions(account))} ended`;
    default:
      throw new AdministrationError(`users ${verb ?? ""} is no command; see --help`);
  }
}

function asRole(value: string | undefined): ApplicationRole {
  if (value === undefined || !isApplicationRole(value))
    throw new AdministrationError(`the role must be one of ${applicationRoles.join(", ")}`);
  return value;
}

const sessions = (count: number): string => `${count} ${count === 1 ? "session" : "sessions"}`;
