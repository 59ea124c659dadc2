import { type Encryption, readConnection } from "@routeql/contract/connection/connection";
import { ConnectionUrlError } from "@routeql/contract/connection/url";
import { readVariable, withoutEmpty } from "@routeql/contract/environment";
import { z } from "zod";

/** The database's login roles that the job creates; the bootstrap superuser already exists. */
export const roleNames = ["owner", "engine", "sidecar", "loader", "backup", "metadata"] as const;
export type RoleName = (typeof roleNames)[number];
/** Roles that exist only where their service is on: the exporter of metrics, and the feed of live updates. */
export const optionalRoleNames = ["monitor", "feed"] as const;
export type OptionalRoleName = (typeof optionalRoleNames)[number];
export type LoginRoleName = RoleName | OptionalRoleName;

export interface Login {
  readonly user: string;
  readonly password: string;
}

export interface FirstAdministrator {
  readonly email: string;
  readonly password: string;
}

export interface MigrateSettings {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** The superuser, or an administrator who may create roles and databases. */
  readonly bootstrap: Login;
  readonly encryption: Encryption;
  readonly previousBootstrapPassword?: string | undefined;
  readonly passwords: Readonly<Record<RoleName, string>>;
  readonly secondLogins: boolean;
  /** A role without a password here does not exist. */
  readonly optionalPasswords: Readonly<Partial<Record<OptionalRoleName, string>>>;
  /** The account that the job creates when there is none. */
  readonly administrator: FirstAdministrator | undefined;
  readonly ownMigrations?: string | undefined;
  /** File with the rights that the operator's metadata needs. */
  readonly engineRights?: string | undefined;
  readonly waitSeconds: number;
}

type Server = Pick<MigrateSettings, "host" | "port" | "database" | "bootstrap" | "encryption">;

/** Names that providers give, such as `fly-db`. */
export const databaseName = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;

const serverPlaces = z.object({
  DATABASE_HOST: z.string().min(1),
  DATABASE_PORT: z.coerce.number().int().min(1).max(65_535).default(5432),
  DATABASE_NAME: z.string().regex(databaseName, "must have only letters, digits, _ and -").default("routeql"),
});
const administrators = z.object({ ADMIN_EMAIL: z.email().max(254).optional() });
const logins = z.object({ SECOND_LOGINS: z.stringbool().default(false) });
const ownFiles = z.object({ OWN_MIGRATIONS: z.string().optional(), ENGINE_RIGHTS: z.string().optional() });
const waiting = z.object({ DATABASE_WAIT_SECONDS: z.coerce.number().int().min(1).max(3600).default(60) });

/** Reads the job's settings; passwords come from `<ROLE>_PASSWORD_FILE`. @throws one error with all problems, and never a password */
export function readSettings(environment: NodeJS.ProcessEnv): MigrateSettings {
  const problems: string[] = [];
  const read = <Shape extends z.ZodType>(shape: Shape): z.output<Shape> | undefined => {
    const { success, data, error } = shape.safeParse(environment);
    if (!success) problems.push(...error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`));
    return data;
  };
  const secret = (name: string): string => {
    const result = readPassword(environment, name);
    if ("problem" in result) problems.push(result.problem);
    return "password" in result ? result.password : "";
  };
  const places = (): Server | undefined => {
    const given = read(serverPlaces);
    const bootstrap = { user: "postgres", password: secret("BOOTSTRAP_PASSWORD") };
    return (
      given && {
        host: given.DATABASE_HOST,
        port: given.DATABASE_PORT,
        database: given.DATABASE_NAME,
        bootstrap,
        encryption: {},
      }
    );
  };
  const url = (): Server | undefined => {
    const found = given(environment, "BOOTSTRAP_URL");
    if ("problem" in found) {
      problems.push(found.problem);
      return undefined;
    }
    const server = parseUrl(found.text);
    if (typeof server !== "string") return server;
    problems.push(`BOOTSTRAP_URL_FILE: ${server}`);
    return undefined;
  };
  const server = environment["BOOTSTRAP_URL_FILE"] === undefined ? places() : url();
  const patience = read(waiting);
  const previousBootstrapPassword =
    environment["PREVIOUS_BOOTSTRAP_PASSWORD_FILE"] === undefined ? undefined : secret("PREVIOUS_BOOTSTRAP_PASSWORD");
  const own = read(ownFiles);
  const secondLogins = read(logins)?.SECOND_LOGINS ?? false;
  const passwords = {
    owner: secret("OWNER_PASSWORD"),
    engine: secret("ENGINE_PASSWORD"),
    sidecar: secret("SIDECAR_PASSWORD"),
    loader: secret("LOADER_PASSWORD"),
    backup: secret("BACKUP_PASSWORD"),
    metadata: secret("METADATA_PASSWORD"),
  };
  const optionalPasswords: Partial<Record<OptionalRoleName, string>> = {};
  for (const role of optionalRoleNames)
    if (environment[`${role.toUpperCase()}_PASSWORD_FILE`] !== undefined)
      optionalPasswords[role] = secret(`${role.toUpperCase()}_PASSWORD`);
  // A volume that replaces a lost one waits for a backup: an administrator with an old password must not appear in between.
  const replaced = environment["REPLACED_DATA_VOLUME"] !== undefined;
  const email = replaced ? undefined : read(administrators)?.ADMIN_EMAIL;
  const administrator =
    email === undefined ? undefined : { email, password: administratorPassword(environment, problems) };
  if (server === undefined || patience === undefined || problems.length > 0)
    throw new Error(`The settings are not usable:\n  ${problems.join("\n  ")}`);
  return {
    ...server,
    previousBootstrapPassword,
    passwords,
    secondLogins,
    optionalPasswords,
    administrator,
    ownMigrations: own?.OWN_MIGRATIONS,
    engineRights: own?.ENGINE_RIGHTS,
    waitSeconds: patience.DATABASE_WAIT_SECONDS,
  };
}

/** The deployment has checked its strength. */
function administratorPassword(environment: NodeJS.ProcessEnv, problems: string[]): string {
  const found = given(environment, "ADMIN_PASSWORD");
  if ("problem" in found) problems.push(found.problem);
  return "text" in found ? found.text : "";
}

/** @returns the problem of a URL as a text */
function parseUrl(text: string): Server | string {
  try {
    const { host, port, user, password, database = "", ...encryption } = readConnection(text);
    if (host === "" || user === undefined || !databaseName.test(database))
      return "the URL needs a user, a host and a database with a name of letters, digits, _ and -";
    return { host, port, database, bootstrap: { user, password: password ?? "" }, encryption };
  } catch (error) {
    if (error instanceof ConnectionUrlError) return `the URL is not usable: ${error.message}`;
    throw error;
  }
}

function given(environment: NodeJS.ProcessEnv, name: string): { text: string } | { problem: string } {
  const { value, problem = `${name}_FILE: is not set` } = readVariable(withoutEmpty(environment), name);
  return value === undefined ? { problem } : { text: value };
}

function readPassword(environment: NodeJS.ProcessEnv, name: string): { password: string } | { problem: string } {
  const found = given(environment, name);
  if ("problem" in found) return found;
  const password = found.text;
  // SASLprep (RFC 4013) leaves these unchanged, so the verifier equals the one that every client derives.
  if (!/^[\x20-\x7e]{16,1024}$/.test(password))
    return { problem: `${name}_FILE: the password must be 16 or more printable ASCII characters` };
  return { password };
}
