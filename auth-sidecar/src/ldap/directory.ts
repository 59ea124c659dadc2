import { AndFilter, type Client, type Entry, EqualityFilter, type Filter, FilterParser, ResultCodeError } from "ldapts";
import type { Logger } from "pino";
import { BoundedQueue } from "../bounded-queue.ts";
import { type DirectoryConnection, type DirectorySettings, withConnection } from "./directory-connection.ts";
import { filledFilter } from "@routeql/sidecar-settings/directory-filter";
import { isOrdinary } from "./folded-name.ts";
import { type Group, groupNamed, roleOf, unboundProblem } from "@routeql/sidecar-settings/group-roles";

export interface DirectoryAccount {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly organisation: string | undefined;
}

/** Maximum concurrent logins and session checks, each on its own connection; maximum waiting ones, and their wait in milliseconds. */
const connections = { concurrency: 16, waiting: 64, longestWaitMilliseconds: 2000 };

/** The directory's binds and searches. Methods throw {@link Unavailable} without an answer, {@link TooManyRequests} under load. */
export class Directory {
  readonly #settings: DirectorySettings;
  readonly #attributes: EntryAttributes;
  readonly #log: Logger;
  readonly #queue = new BoundedQueue(connections);

  constructor(settings: DirectorySettings, log: Logger) {
    this.#settings = settings;
    this.#attributes = {
      id: settings.LDAP_ID_ATTRIBUTE,
      email: settings.LDAP_EMAIL_ATTRIBUTE,
      name: settings.LDAP_NAME_ATTRIBUTE,
      organisation: settings.LDAP_ORGANISATION_ATTRIBUTE,
    };
    this.#log = log;
    const unbound = settings.LDAP_GROUP_BASE === undefined && unboundProblem(settings.LDAP_ROLES, "LDAP_GROUP_BASE");
    if (unbound) log.warn({ setting: "LDAP_ROLES" }, `LDAP_ROLES ${unbound}`);
  }

  /** The account of this name and password; undefined if they are wrong. @param asker owner of the call's share of the connections */
  async authenticate(username: string, password: string, asker: string): Promise<DirectoryAccount | undefined> {
    // A bind with an empty password is an anonymous one, and succeeds (RFC 4513, 5.1.2).
    if (password === "" || !isOrdinary(username)) return undefined;
    return this.#connected(`login ${asker}`, async (connection) => {
      const entry = await this.#find(
        connection,
        FilterParser.parseString(filledFilter(this.#settings.LDAP_USER_FILTER, { username })),
      );
      if (entry === undefined) return undefined;
      const account = await this.#account(connection, entry);
      return (await proves(connection, entry.dn, password)) ? account : undefined;
    });
  }

  /** The current state of the account; undefined if it is deleted or inactive. */
  async lookUp(id: string): Promise<DirectoryAccount | undefined> {
    const { id: attribute } = this.#attributes;
    const value = isBinary(attribute) ? Buffer.from(id, "hex") : id;
    return this.#connected(`account ${id}`, async (connection) => {
      const entry = await this.#find(connection, new EqualityFilter({ attribute, value }));
      return entry === undefined ? undefined : this.#account(connection, entry);
    });
  }

  #connected<Result>(asker: string, work: (connection: DirectoryConnection) => Promise<Result>): Promise<Result> {
    return this.#queue.run(() => withConnection(this.#settings, this.#log, work), asker);
  }

  async #find(connection: DirectoryConnection, filter: Filter): Promise<DirectoryEntry | undefined> {
    const { LDAP_USER_BASE: base, LDAP_ACTIVE_FILTER: activeFilter } = this.#settings;
    const names = Object.values(this.#attributes);
    const { searchEntries } = await search(connection, base, {
      scope: "sub",
      filter:
        activeFilter === undefined
          ? filter
          : new AndFilter({ filters: [filter, FilterParser.parseString(activeFilter)] }),
      attributes: [...names, "memberOf"],
      explicitBufferAttributes: names.filter(isBinary),
      sizeLimit: 0,
    });
    const [entry, ...others] = searchEntries;
    if (others.length > 0)
      this.#log.warn(
        { found: searchEntries.length },
        "a login name matches more than one directory account, so the login fails",
      );
    return entry === undefined || others.length > 0 ? undefined : directoryEntry(entry, this.#attributes);
  }

  async #account(connection: DirectoryConnection, entry: DirectoryEntry): Promise<DirectoryAccount> {
    const role = roleOf(await this.#groups(connection, entry), this.#settings.LDAP_ROLES);
    const organisation = role === "tenant" ? entry.organisation : undefined;
    return { id: entry.id, email: entry.email, name: entry.name, role, organisation };
  }

  async #groups(connection: DirectoryConnection, { dn, memberOf }: DirectoryEntry): Promise<Group[]> {
    const { LDAP_GROUP_BASE: groupBase, LDAP_GROUP_FILTER: groupFilter } = this.#settings;
    if (groupBase === undefined) return memberOf.map((group) => groupNamed(group));
    const { searchEntries } = await search(connection, groupBase, {
      scope: "sub",
      filter: filledFilter(groupFilter, { dn }),
      attributes: ["cn"],
    });
    return searchEntries.map((group) => groupNamed(group.dn, values(group, "cn")[0]));
  }
}

function search(connection: DirectoryConnection, ...asked: Parameters<Client["search"]>): ReturnType<Client["search"]> {
  return connection.call("LDAP search", (client) => client.search(...asked));
}

/** True if the directory accepts the password; false for any other answer. */
async function proves(connection: DirectoryConnection, dn: string, password: string): Promise<boolean> {
  try {
    await connection.call("LDAP bind of the user", (client) => client.bind(dn, password));
    return true;
  } catch (error) {
    // Wrong password, locked, expired, bind not allowed: the directory's log shows which.
    if (error instanceof ResultCodeError && ![51, 52].includes(error.code)) return false;
    throw error;
  }
}

export interface DirectoryEntry {
  readonly dn: string;
  /** Value of the id attribute: text, or hexadecimal for binary values. */
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly organisation: string | undefined;
  /** DNs of the groups in the entry's own attributes. */
  readonly memberOf: readonly string[];
}

export interface EntryAttributes {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly organisation: string;
}

/** Active Directory's object ids are 16 bytes, not text. */
const isBinary = (attribute: string): boolean => attribute.toLowerCase() === "objectguid";

/** Undefined for an entry without an id or an e-mail address, which cannot be identified. */
function directoryEntry(entry: Entry, attributes: EntryAttributes): DirectoryEntry | undefined {
  const first = (name: string) => values(entry, name)[0];
  const id = first(attributes.id);
  const email = first(attributes.email);
  if (id === undefined || email === undefined) return undefined;
  return {
    dn: entry.dn,
    id,
    email,
    name: first(attributes.name) ?? email,
    organisation: first(attributes.organisation),
    memberOf: values(entry, "memberOf"),
  };
}

/** All values of an attribute, whose name has no case (RFC 4512, 2.5). */
function values(entry: Entry, name: string): string[] {
  const key = Object.keys(entry).find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  const found = key === undefined ? [] : entry[key]!;
  const list = Array.isArray(found) ? found : [found];
  return list
    .map((value) => (typeof value === "string" ? value : value.toString("hex")))
    .filter((value) => value !== "" && !value.includes("\0"));
}
