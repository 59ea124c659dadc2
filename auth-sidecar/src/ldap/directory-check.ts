import type { LookupFunction } from "node:net";
import { AndFilter, type Entry, EqualityFilter, type Filter, PresenceFilter } from "ldapts";
import { createLogger } from "../logging.ts";
import { DirectoryConnection, type DirectorySettings, withConnection } from "./directory-connection.ts";
import { type DirectoryEntry, hasEnded, readEntry } from "./directory-entries.ts";
import { attributesOf, findAccounts, groupsOf } from "./directory-search.ts";
import { parseName } from "@routeql/sidecar-settings/distinguished-name";
import { type GroupRole, lineOf } from "@routeql/sidecar-settings/group-roles";
import { AnswerTooLong, DirectoryProblem } from "./directory-problems.ts";

export interface DirectoryFindings {
  /** Why no account can log in. */
  readonly problems: readonly string[];
  /** Lines of LDAP_ROLES whose group was not found. */
  readonly missingGroups: readonly string[];
}

/** Makes the searches of a login at every server of LDAP_URL. @param lookup in place of the name servers */
export async function checkDirectory(settings: DirectorySettings, lookup?: LookupFunction): Promise<DirectoryFindings> {
  const found = await Promise.all(
    settings.LDAP_URL.map(async (url): Promise<DirectoryFindings> => {
      try {
        const problem = await connected(url, settings, lookup, problemOfAccounts);
        if (problem !== undefined) return broken(problem);
        return { problems: [], missingGroups: await connected(url, settings, lookup, missingGroupsAt) };
      } catch (error) {
        return broken(`${url}: ${(error as Error).message}`);
      }
    }),
  );
  const all = (name: keyof DirectoryFindings) => [...new Set(found.flatMap((each) => each[name]))];
  return { problems: all("problems"), missingGroups: all("missingGroups") };
}

type Asking<Result> = (connection: DirectoryConnection, settings: DirectorySettings) => Promise<Result>;

/** Asks by a connection of its own, because an answer that is too long ends one. */
async function connected<Result>(
  url: string,
  settings: DirectorySettings,
  lookup: LookupFunction | undefined,
  ask: Asking<Result>,
): Promise<Result> {
  const connection = new DirectoryConnection(url, settings, lookup);
  try {
    await connection.begin();
    return await ask(connection, settings);
  } finally {
    connection.leave();
  }
}

const broken = (problem: string): DirectoryFindings => ({ problems: [problem], missingGroups: [] });

async function problemOfAccounts(connection: DirectoryConnection, settings: DirectorySettings) {
  const any = settings.LDAP_USER_FILTER.forEveryValue();
  const { id, email } = attributesOf(settings);
  const whole = new AndFilter({
    filters: [any, new PresenceFilter({ attribute: id }), new PresenceFilter({ attribute: email })],
  });
  const complete = await firstAccount(connection, settings, whole);
  if (complete === "more than the bound") return undefined;
  // Accounts of services may lack an address; if no account has one, the first names what is missing.
  const found = complete ?? (await firstAccount(connection, settings, any));
  if (found === undefined)
    return `no account below LDAP_USER_BASE ${settings.LDAP_USER_BASE} matches LDAP_USER_FILTER and LDAP_ACTIVE_FILTER, or LDAP_BIND_DN may not read it`;
  if (found === "more than the bound")
    return `no account has ${id} and ${email}: correct LDAP_ID_ATTRIBUTE and LDAP_EMAIL_ATTRIBUTE, or let LDAP_BIND_DN read them`;
  const entry = readEntry(found, attributesOf(settings));
  if (typeof entry === "string") return `the account ${found.dn} ${entry}`;
  await groupsOf(connection, settings, entry);
  return undefined;
}

/** For a filter that matches all accounts: some directories return them all, although the search asks for two. */
async function firstAccount(connection: DirectoryConnection, settings: DirectorySettings, filter: Filter) {
  try {
    return (await findAccounts(connection, settings, filter))[0];
  } catch (error) {
    if (error instanceof AnswerTooLong) return "more than the bound";
    throw error;
  }
}

async function missingGroupsAt(connection: DirectoryConnection, settings: DirectorySettings): Promise<string[]> {
  const missing = await Promise.all(
    settings.LDAP_ROLES.map(async (line, index) => {
      const problem = await problemOfLine(connection, settings, line);
      return problem === undefined ? [] : [`line ${index + 1} of LDAP_ROLES names the group ${line.group}: ${problem}`];
    }),
  );
  return missing.flat();
}

const noGroup = "the directory has no such group, or LDAP_BIND_DN may not read it";

async function problemOfLine(
  connection: DirectoryConnection,
  settings: DirectorySettings,
  { kind, group, key }: GroupRole,
): Promise<string | undefined> {
  const { LDAP_GROUP_BASE: base } = settings;
  if (kind === "everyone") return undefined;
  if (kind === "dn") {
    const found = await entryOf(connection, group);
    if (found !== undefined) return parseName(found.dn)?.key === key ? undefined : `the directory calls it ${found.dn}`;
    // A search account may read accounts only.
    const member = new EqualityFilter({ attribute: "memberOf", value: group });
    return (await findAccounts(connection, settings, member)).length > 0 ? undefined : noGroup;
  }
  if (base === undefined) return undefined;
  const { searchEntries } = await connection.search("groups", base, {
    scope: "sub",
    filter: new EqualityFilter({ attribute: "cn", value: group.replaceAll("\\;", ";") }),
    attributes: ["cn"],
    sizeLimit: 2,
  });
  return searchEntries.length > 0 ? undefined : noGroup;
}

async function entryOf(connection: DirectoryConnection, dn: string): Promise<Entry | undefined> {
  try {
    const { searchEntries } = await connection.search("groups", dn, { scope: "base", attributes: ["cn"] });
    return searchEntries[0];
  } catch (error) {
    if (error instanceof DirectoryProblem) return undefined;
    throw error;
  }
}

/** The steps from a login name to a role, one row for each fact. @throws {Unavailable} */
export function explainLogin(settings: DirectorySettings, username: string): Promise<readonly object[]> {
  return withConnection(settings, createLogger("silent"), async (connection) => {
    const filter = settings.LDAP_USER_FILTER.filled({ username });
    const found = await findAccounts(connection, settings, filter);
    const rows: { fact: string; value: string }[] = found.map(({ dn }) => ({ fact: "entry", value: dn }));
    const end = (value: string) => [...rows, { fact: "login", value }];
    const [first, second] = found;
    if (first === undefined) return end(await reasonOfNone(connection, settings, username));
    if (second !== undefined)
      return end(
        "fails: LDAP_USER_FILTER matches more than one entry, so only the first user of the address can log in",
      );
    if (hasEnded(first, Date.now())) return end("fails: the account has ended in the directory");
    const entry = readEntry(first, attributesOf(settings));
    if (typeof entry === "string") return end(`fails: the entry ${entry}`);
    return [...rows, ...(await facts(connection, settings, entry))];
  });
}

async function reasonOfNone(connection: DirectoryConnection, settings: DirectorySettings, username: string) {
  const filter = settings.LDAP_USER_FILTER.filled({ username });
  const [inactive] = await findAccounts(connection, settings, filter, new PresenceFilter({ attribute: "objectClass" }));
  return inactive === undefined
    ? `fails: no entry below LDAP_USER_BASE ${settings.LDAP_USER_BASE} matches LDAP_USER_FILTER`
    : `fails: LDAP_ACTIVE_FILTER excludes the entry ${inactive.dn}`;
}

async function facts(connection: DirectoryConnection, settings: DirectorySettings, entry: DirectoryEntry) {
  const groups = await groupsOf(connection, settings, entry);
  const line = lineOf(groups, settings.LDAP_ROLES);
  return [
    { fact: "id", value: `ldap-${entry.id}` },
    ...entry.emails.map((value) => ({ fact: "address", value })),
    { fact: "name", value: entry.name },
    ...groups.map(({ dn }) => ({
      fact: "group",
      value: parseName(dn) === undefined ? `${dn} (not readable as a DN)` : dn,
    })),
    {
      fact: "line of LDAP_ROLES",
      value: line === undefined ? "none" : `${settings.LDAP_ROLES.indexOf(line) + 1}: ${line.role}: ${line.group}`,
    },
    { fact: "role", value: line?.role ?? "pending" },
    ...(line?.role === "tenant" ? [{ fact: "organisation", value: entry.organisation ?? "none" }] : []),
  ];
}
