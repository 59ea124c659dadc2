import { printable } from "@routeql/contract/printable";
import { once } from "node:events";
import { applicationRoles } from "@routeql/contract/roles";
import type { Redis } from "ioredis";
import { AuditTrail } from "../audit/audit-trail.ts";
import { Database } from "../database.ts";
import { accountPseudonym } from "../credentials/authenticator.ts";
import { foldedAddress } from "../credentials/local-accounts.ts";
import { KeyEncryption } from "../keys/key-encryption.ts";
import { KeyRepository } from "../keys/keyring.ts";
import { KeyRotation, rotationPolicy, RotationUnderWay } from "../keys/key-rotation.ts";
import { checkDirectory, explainLogin } from "../ldap/directory-check.ts";
import { type DirectorySettings, hasDirectory } from "../ldap/directory-connection.ts";
import { foldedName } from "../ldap/folded-name.ts";
import { Unavailable } from "../errors.ts";
import { createLogger } from "../logging.ts";
import { connectRedis } from "../sessions/redis.ts";
import { SessionStore } from "../sessions/session-store.ts";
import type { Settings } from "../settings.ts";
import { Throttle } from "../throttle/throttle.ts";
import type { Provider } from "../users.ts";
import { Accounts, emailAddress } from "./accounts.ts";
import { AdministrationError, type Command } from "./command.ts";

/** `users …`: see usage. Returns the rows to print. */
async function usersCommand(
  { words, options, readPassword }: Command,
  accounts: Accounts,
  unlock: (provider: Provider, name: string | undefined) => Promise<number>,
  ownRoles: readonly string[],
): Promise<readonly object[] | string> {
  const [verb, reference, role] = words;
  if (verb === "list") return accounts.list();
  if (verb === "organisations") return accounts.organisations();
  if (verb === "unlock") {
    const count = await unlock(options.provider, reference);
    return `${count} ${count === 1 ? "count" : "counts"} of failed logins deleted`;
  }
  if (reference === undefined) throw new AdministrationError("which account? Give its e-mail address or its id");
  const { organisation: known, "new-organisation": organisation = known } = options;
  if (known !== undefined) await accounts.requireOrganisation(known);
  if (verb === "add") {
    const email = emailAddress.safeParse(reference);
    if (!email.success)
      throw new AdministrationError(`${reference} is no e-mail address that a local account can have`);
    const added = {
      email: email.data,
      name: options.name ?? email.data,
      role: asRole(options.role, ownRoles),
      organisation,
    };
    return [await accounts.add({ ...added, password: await readPassword() })];
  }
  const account = await accounts.find(reference, options.provider);
  switch (verb) {
    case "show":
      return [{ ...account, sessions: (await accounts.sessions(account)).length }];
    case "role":
      await accounts.setRole(account, asRole(role, ownRoles), organisation);
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

function asRole(value: string | undefined, own: readonly string[]): string {
  const roles: readonly string[] = [...applicationRoles, ...own];
  if (value === undefined || !roles.includes(value))
    throw new AdministrationError(`the role must be one of ${roles.join(", ")}`);
  return value;
}

const sessions = (count: number): string => `${count} ${count === 1 ? "session" : "sessions"}`;

/** Executes a command on the stack of the settings and returns its output. @throws {AdministrationError} when it cannot be executed */
export async function runCommand(command: Command, settings: Settings): Promise<string> {
  // The command's output replaces its log; the audit table records its changes.
  const log = createLogger("silent");
  const database = new Database({ url: settings.DATABASE_URL, poolSize: 2, log });
  const redis = connectRedis(settings.SESSIONS_URL, settings.SESSIONS_CA, log);
  try {
    const audit = new AuditTrail(database, log);
    const result = await resultOf(command, settings, { database, redis, audit });
    if (command.options.json) return JSON.stringify(result, undefined, 2);
    return typeof result === "string" ? result : table(result);
  } finally {
    redis.disconnect();
    await database.close();
  }
}

async function resultOf(
  command: Command,
  settings: Settings,
  parts: { database: Database; redis: Redis; audit: AuditTrail },
): Promise<readonly object[] | string> {
  const { database, redis, audit } = parts;
  if (command.subject === "users" && command.words[0] === "directory")
    return hasDirectory(settings) ? checked(settings) : "not configured";
  if (command.subject === "users" && command.words[0] === "explain") return explained(settings, command.words[1]);
  if (command.subject === "users") {
    await connected(redis);
    const sessions = new SessionStore(redis, settings);
    const pseudonym = accountPseudonym(settings.KEY_ENCRYPTION_KEY);
    const throttle = new Throttle(redis, settings);
    const unlock = (provider: Provider, name: string | undefined) =>
      throttle.unlock(
        name === undefined
          ? undefined
          : pseudonym(provider, provider === "local" ? foldedAddress(name) : foldedName(name)),
      );
    return usersCommand(command, new Accounts({ database, sessions, audit }), unlock, settings.OWN_ROLES);
  }
  const encryption = new KeyEncryption(settings.KEY_ENCRYPTION_KEY, settings.PREVIOUS_KEY_ENCRYPTION_KEY);
  const rotation = new KeyRotation(database, encryption, rotationPolicy(settings));
  return keysCommand(command, { keys: new KeyRepository(database, encryption), rotation, audit });
}

async function checked(settings: DirectorySettings): Promise<string> {
  const { problems, missingGroups } = await checkDirectory(settings);
  const servers = settings.LDAP_URL.join(", ");
  // One line, which `status` prints.
  if (problems.length > 0) throw new AdministrationError(`${servers} cannot be used: ${problems.join("; ")}`);
  if (missingGroups.length > 0) throw new AdministrationError(missingGroups.join("; "));
  return `${servers} ${settings.LDAP_URL.length === 1 ? "answers" : "answer"} the searches of a login`;
}

async function explained(settings: Settings, name: string | undefined): Promise<readonly object[]> {
  if (name === undefined) throw new AdministrationError("which name? Give the text that the user enters at the login");
  if (!hasDirectory(settings)) throw new AdministrationError("no directory is configured: set LDAP_URL");
  return explainLogin(settings, name).catch((error: unknown) => {
    const { message } = error instanceof Unavailable ? ((error.cause ?? error) as Error) : (error as Error);
    throw new AdministrationError(`the directory cannot be asked: ${message}`);
  });
}

async function connected(redis: Redis): Promise<void> {
  if (redis.status === "ready") return;
  await once(redis, "ready", { signal: AbortSignal.timeout(5000) }).catch(() => {
    throw new AdministrationError("the session store does not answer");
  });
}

interface KeysParts {
  readonly keys: KeyRepository;
  readonly rotation: KeyRotation;
  readonly audit: AuditTrail;
}

/** `keys …`: see usage. Returns the rows to print. */
async function keysCommand(
  { words: [verb, id] }: Command,
  { keys, rotation, audit }: KeysParts,
): Promise<readonly object[] | string> {
  const record = (event: "key-created" | "key-rotated" | "key-retired", kid: string) =>
    audit.record({ event, outcome: "success", detail: { kid, by: "command" } });
  switch (verb) {
    case "list":
      return keys.all();
    case "rotate": {
      const rotated = await rotation.rotate().catch((error: unknown) => {
        throw error instanceof RotationUnderWay ? new AdministrationError(error.message) : error;
      });
      await record("key-rotated", rotated.id);
      return `key ${rotated.id} is published and signs from ${rotated.signsFrom.toISOString()}`;
    }
    case "retire": {
      if (id === undefined) throw new AdministrationError("which key? Give its id from keys list");
      const retired = await rotation.retire(id);
      if (retired === undefined) throw new AdministrationError(`there is no key ${id}, or it is already retired`);
      await record("key-retired", id);
      const { replacement } = retired;
      return replacement === undefined
        ? `key ${id} is withdrawn`
        : `key ${id} is withdrawn at ${replacement.signsFrom.toISOString()}, when key ${replacement.id} signs in its place`;
    }
    case "retire-unopened": {
      const ids = await rotation.retireUnopened();
      for (const kid of ids) await record("key-retired", kid);
      const created = await rotation.createFirst();
      if (created !== undefined) await record("key-created", created.id);
      return ids.length === 0 ? "every key opens with KEY_ENCRYPTION_KEY" : `withdrawn: ${ids.join(", ")}`;
    }
    default:
      throw new AdministrationError(`keys ${verb ?? ""} is no command; see --help`);
  }
}

type Cell = string | number | boolean | Date | null;

/** Rows as aligned columns under the names of the first row's members. */
export function table(rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) return "none";
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => shown((row as Record<string, Cell>)[name] ?? null)))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function shown(cell: Cell): string {
  if (cell === null) return "-";
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  // Text from a directory or a form must not control the terminal.
  return printable(String(cell));
}
