import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";
import type { Client } from "pg";
import type { LoginRoleName, OptionalRoleName, RoleName } from "./settings.ts";

/** A login role: its limits on the server and its statement timeout. */
interface RoleDescription {
  readonly connectionLimit: number;
  /** Server settings that every session of the role starts with. */
  readonly settings: Readonly<Record<string, string>>;
  /** Predefined roles of Postgres that it belongs to. Default: none. */
  readonly memberOf?: readonly string[];
  /** Further settings, which only a superuser may give a role. */
  readonly superuserSettings?: Readonly<Record<string, string>>;
}

/** Seconds. A client whose machine is gone holds its locks and its connection for two minutes instead of two hours. */
export const noticeDeadClients = {
  tcp_keepalives_idle: "60",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "6",
};

// JIT compilation costs more than it saves on queries that take milliseconds.
const common = { TimeZone: "UTC", DateStyle: "ISO, MDY", jit: "off", search_path: "public", ...noticeDeadClients };

/** Every login role except the superuser; grants.sql defines their rights. */
export const roles: Readonly<Record<RoleName, RoleDescription>> = {
  owner: {
    connectionLimit: 10,
    settings: { ...common, lock_timeout: "30s", idle_in_transaction_session_timeout: "10min" },
  },
  engine: {
    connectionLimit: 60,
    settings: {
      ...common,
      default_transaction_read_only: "on",
      statement_timeout: "30s",
      lock_timeout: "5s",
      idle_in_transaction_session_timeout: "30s",
    },
    // A sort of one query cannot fill the disk. Error messages quote values of clients; the engine logs their codes.
    superuserSettings: { temp_file_limit: "512MB", log_min_messages: "fatal" },
  },
  sidecar: {
    connectionLimit: 40,
    settings: {
      ...common,
      search_path: "auth",
      statement_timeout: "10s",
      lock_timeout: "10s",
      idle_in_transaction_session_timeout: "10s",
    },
  },
  loader: {
    connectionLimit: 8,
    settings: { ...common, statement_timeout: "1h", lock_timeout: "1min", idle_in_transaction_session_timeout: "5min" },
  },
  backup: {
    connectionLimit: 4,
    settings: { ...common, default_transaction_read_only: "on", statement_timeout: "6h", lock_timeout: "1min" },
  },
  // Each engine process keeps a few connections to its metadata, and an update runs two generations of them.
  metadata: {
    connectionLimit: 60,
    settings: { ...common, lock_timeout: "30s", idle_in_transaction_session_timeout: "5min" },
  },
};

/** Roles that exist only where their service is on. */
const optionalRoles: Readonly<Record<OptionalRoleName, RoleDescription>> = {
  /** The exporter of metrics: statistics of the server and the times of backups, no other row. */
  monitor: {
    connectionLimit: 3,
    settings: {
      ...common,
      default_transaction_read_only: "on",
      statement_timeout: "5s",
      lock_timeout: "1s",
      idle_in_transaction_session_timeout: "10s",
    },
    memberOf: ["pg_monitor"],
  },
  /** The feed does live what load and detect do. A second replica takes over within 10 s, so that a lost machine may keep a lock for 6 s. */
  feed: {
    connectionLimit: 8,
    settings: {
      ...common,
      tcp_keepalives_idle: "3",
      tcp_keepalives_interval: "1",
      tcp_keepalives_count: "3",
      tcp_user_timeout: "6s",
      statement_timeout: "1min",
      lock_timeout: "10s",
      idle_in_transaction_session_timeout: "10s",
    },
    memberOf: ["routeql_loader"],
  },
};

const describe = (name: LoginRoleName): RoleDescription =>
  name === "monitor" || name === "feed" ? optionalRoles[name] : roles[name];

/** `routeql_owner` and so on. */
export function loginRole(name: LoginRoleName): string {
  return `routeql_${name}`;
}

/** Roles of running services. Each has two logins, so that the old password stays valid while a rotation replaces the service. */
const serviceRoles: ReadonlySet<LoginRoleName> = new Set(["engine", "sidecar", "metadata"]);

/** The role with which a client logs in; a second login acts as the first. @param second whether passwords have an even generation */
export function loginOf(name: LoginRoleName, second: boolean): string {
  return second && serviceRoles.has(name) ? `${loginRole(name)}_2` : loginRole(name);
}

/** Settings with which sessions of a login start, as `name=value`; only a superuser can give it the second ones. */
export function sessionSettings(
  name: LoginRoleName,
  second: boolean,
): { readonly all: readonly string[]; readonly ofSuperuser: readonly string[] } {
  const { settings, superuserSettings = {} } = describe(name);
  const texts = (of: Readonly<Record<string, string>>): string[] =>
    Object.entries(of).map(([setting, value]) => `${setting}=${value}`);
  const role = loginRole(name);
  const acting: Record<string, string> = loginOf(name, second) === role ? {} : { role };
  return { all: texts({ ...settings, ...acting }), ofSuperuser: texts(superuserSettings) };
}

/** Time for which the password of the other login stays valid. */
const overlap = "1 hour";

interface RoleRow {
  readonly plain: boolean;
  /** Whether its password never expires. */
  readonly unlimited: boolean;
  readonly connection_limit: number;
  readonly verifier: string | null;
  readonly settings: readonly string[];
  /** Databases with role-specific settings. */
  readonly set_in: readonly string[];
  readonly member_of: readonly string[];
}

/** Makes a role match {@link roles}; only a superuser sees whether a password differs. @param second login, which ends the other's */
export async function ensureRole(
  client: Client,
  name: LoginRoleName,
  password: string,
  superuser: boolean,
  second = false,
): Promise<string[]> {
  const role = loginRole(name);
  const login = loginOf(name, second);
  const description = describe(name);
  const done = await ensureLogin(client, role, description, login === role ? password : undefined, superuser);
  if (login !== role) {
    const { settings, memberOf = [] } = description;
    const asFirst = { ...description, settings: { ...settings, role }, memberOf: [...memberOf, role] };
    return [...done, ...(await ensureLogin(client, login, asFirst, password, superuser))];
  }
  const other = loginOf(name, true);
  if (other !== role && (await readRole(client, other, superuser))?.unlimited) done.push(await expire(client, other));
  return done;
}

async function expire(client: Client, role: string): Promise<string> {
  const { rows } = await client.query<{ until: string }>(`select (now() + interval '${overlap}')::text as until`);
  await client.query(`alter role ${role} valid until ${client.escapeLiteral(rows[0]!.until)}`);
  return `limited the password of ${role} to ${overlap}`;
}

/** @param password undefined for a role whose other login is in use: its password expires */
async function ensureLogin(
  client: Client,
  role: string,
  description: RoleDescription,
  password: string | undefined,
  superuser: boolean,
): Promise<string[]> {
  const done: string[] = [];
  const change = async (statement: string, what: string): Promise<void> => {
    await client.query(statement);
    done.push(`${what} ${role}`);
  };
  if ((await readRole(client, role, superuser)) === undefined)
    await change(`create role ${role} login`, "created role");
  const row = await readRole(client, role, superuser);
  if (row === undefined) throw new Error(`The role ${role} does not exist after it was created.`);
  if (!row.plain) {
    await change(
      `alter role ${role} login inherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls`,
      "took extra rights from",
    );
  }
  if (password === undefined && row.unlimited) done.push(await expire(client, role));
  if (password !== undefined && !row.unlimited)
    await change(`alter role ${role} valid until 'infinity'`, "lifted the expiry of");
  if (row.connection_limit !== description.connectionLimit) {
    await change(`alter role ${role} connection limit ${description.connectionLimit}`, "set the connection limit of");
  }
  if (password !== undefined && !matchesVerifier(password, row.verifier)) {
    await change(`alter role ${role} password ${client.escapeLiteral(scramVerifier(password))}`, "set the password of");
  }
  const { settings, superuserSettings = {} } = description;
  const given = Object.entries(superuser ? { ...settings, ...superuserSettings } : settings);
  const wanted = given.map(([setting, value]) => `${setting}=${value}`);
  // An administrator can neither set nor reset those of a superuser.
  const found = row.settings.filter(
    (each) => superuser || !Object.hasOwn(superuserSettings, each.split("=", 1)[0] ?? ""),
  );
  if (wanted.toSorted().join("\n") !== found.toSorted().join("\n")) {
    const sets = given.map(
      ([setting, value]) =>
        `alter role ${role} set ${setting} to ${setting === "search_path" ? value : client.escapeLiteral(value)}`,
    );
    await change([`alter role ${role} reset all`, ...sets].join(";"), "set the session settings of");
  }
  // A role can set these for itself, and they would come before those above.
  for (const database of row.set_in)
    await change(
      `alter role ${role} in database ${client.escapeIdentifier(database)} reset all`,
      `reset the session settings in ${database} of`,
    );
  const { memberOf = [] } = description;
  for (const group of memberOf)
    if (!row.member_of.includes(group)) await change(`grant ${group} to ${role}`, `granted ${group} to`);
  for (const group of row.member_of.filter((given) => !memberOf.includes(given)))
    await change(`revoke ${client.escapeIdentifier(group)} from ${role}`, `revoked ${group} from`);
  return done;
}

/** Gives the administrator the password under which the next run connects. */
export async function changeOwnPassword(client: Client, role: string, password: string): Promise<string> {
  const verifier = client.escapeLiteral(scramVerifier(password));
  await client.query(`alter role ${client.escapeIdentifier(role)} password ${verifier}`);
  return `set the password of ${role}`;
}

/** Drops the role of a service that was switched off; it owns nothing. */
export async function dropOptionalRole(client: Client, name: OptionalRoleName, database: string): Promise<string[]> {
  const role = loginRole(name);
  if ((await client.query("select from pg_roles where rolname = $1", [role])).rowCount === 0) return [];
  await client.query(`revoke all on database ${client.escapeIdentifier(database)} from ${role}; drop role ${role}`);
  return [`dropped role ${role}`];
}

async function readRole(client: Client, role: string, superuser: boolean): Promise<RoleRow | undefined> {
  const { rows } = await client.query<RoleRow>(
    `select rolcanlogin and rolinherit and not (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls) as plain,
       coalesce(rolvaliduntil = 'infinity', true) as unlimited,
       rolconnlimit as connection_limit, ${superuser ? "rolpassword" : "null"} as verifier,
       coalesce((select setconfig from pg_db_role_setting where setrole = a.oid and setdatabase = 0), '{}') as settings,
       array(select d.datname::text from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where s.setrole = a.oid) as set_in,
       array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = a.oid) as member_of
     from ${superuser ? "pg_authid" : "pg_roles"} a where rolname = $1`,
    [role],
  );
  return rows[0];
}

const ITERATIONS = 4096;

/** The verifier that Postgres stores (RFC 5802, RFC 7677), which keeps the password out of every statement and log. */
export function scramVerifier(
  password: string,
  salt: Buffer = randomBytes(16),
  iterations: number = ITERATIONS,
): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const storedKey = createHash("sha256").update(hmac(salted, "Client Key")).digest("base64");
  const serverKey = hmac(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

/** Whether a stored verifier belongs to the password; false for another format. */
export function matchesVerifier(password: string, verifier: string | null): boolean {
  const [, iterations, salt] = /^SCRAM-SHA-256\$(\d{1,7}):([A-Za-z0-9+/=]+)\$[^$]+$/.exec(verifier ?? "") ?? [];
  if (verifier === null || iterations === undefined || salt === undefined) return false;
  const expected = Buffer.from(scramVerifier(password, Buffer.from(salt, "base64"), Number(iterations)));
  const actual = Buffer.from(verifier);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
