import { randomBytes } from "node:crypto";
import { AndFilter, EqualityFilter, type Filter, ResultCodeError } from "ldapts";
import type { Logger } from "pino";
import { BoundedQueue } from "../bounded-queue.ts";
import { Unavailable } from "../errors.ts";
import { type DirectoryConnection, type DirectorySettings, withConnection } from "./directory-connection.ts";
import { type DirectoryEntry, hasEnded, isBinary, readEntry } from "./directory-entries.ts";
import { attributesOf, findAccounts, groupsOf } from "./directory-search.ts";
import { isOrdinary } from "./folded-name.ts";
import { roleOf, unboundProblem } from "@routeql/sidecar-settings/group-roles";
import { DirectoryProblem, problemOf } from "./directory-problems.ts";
import { isOrdinaryRefusal, isTemporary, refusesPassword, resultName } from "./result-codes.ts";

export interface DirectoryAccount {
  readonly id: string;
  /** All its addresses, in the order of the directory. */
  readonly emails: readonly [string, ...string[]];
  readonly name: string;
  readonly role: string;
  readonly organisation: string | undefined;
  /** Time of the last change of its password, where the directory has one. */
  readonly passwordChanged: Date | undefined;
}

export interface DirectoryAttempt {
  readonly username: string;
  readonly password: string;
  /** Owner of the call's share of the connections. */
  readonly asker: string;
  /** The id of the account that uses a name as its address, for a name that several entries have. */
  readonly owner: (username: string) => Promise<string | undefined>;
}

/** Maximum concurrent logins and session checks, each on its own connection; maximum waiting ones, and their wait in milliseconds. */
const connections = { concurrency: 16, waiting: 64, longestWaitMilliseconds: 2000 };

/** The directory's binds and searches. Methods throw {@link Unavailable} without an answer, {@link TooManyRequests} under load. */
export class Directory {
  readonly #settings: DirectorySettings;
  readonly #log: Logger;
  readonly #queue = new BoundedQueue(connections);

  constructor(settings: DirectorySettings, log: Logger) {
    this.#settings = settings;
    this.#log = log;
    const unbound = settings.LDAP_GROUP_BASE === undefined && unboundProblem(settings.LDAP_ROLES, "LDAP_GROUP_BASE");
    if (unbound) log.warn({ setting: "LDAP_ROLES" }, `LDAP_ROLES ${unbound}`);
  }

  /** The account of this name and password; undefined if they are wrong. */
  async authenticate({ username, password, asker, owner }: DirectoryAttempt): Promise<DirectoryAccount | undefined> {
    // A bind with an empty password is an anonymous one, and succeeds (RFC 4513, 5.1.2).
    if (password === "" || !isOrdinary(username)) return undefined;
    return this.#connected(`login ${asker}`, async (connection) => {
      const entry = await this.#named(connection, username, owner);
      // The same calls for an unknown name, so that a slow directory does not reveal it. Groups are read after the decision.
      const right = await this.#proves(connection, entry?.dn, password);
      if (entry === undefined || !right) return undefined;
      await connection.resume();
      return this.#account(connection, entry);
    });
  }

  /** The current state of the account; undefined if it is deleted, inactive or at its end. */
  async lookUp(id: string): Promise<DirectoryAccount | undefined> {
    return this.#connected(`account ${id}`, (connection) => this.#current(connection, id));
  }

  /** The current state of each account. One connection reads all, and another one continues after an answer that ended the first. */
  async lookUpAll(
    ids: readonly string[],
    use: (id: string, account: DirectoryAccount | undefined) => Promise<unknown>,
  ) {
    const left = [...ids];
    await this.#queue.run(async () => {
      // Each connection reads at least one account, or the directory is unavailable. A server may end one at any time.
      while (left.length > 0) {
        const { length } = left;
        await withConnection(this.#settings, this.#log, (connection) => this.#lookUpLeft(connection, left, use)).catch(
          (error: unknown) => {
            if (left.length === length || !(error instanceof Unavailable) || error.reason !== "directory") throw error;
          },
        );
      }
    }, "all accounts");
  }

  /** Takes at least one account from `left`, and all of them unless the connection ends. */
  async #lookUpLeft(connection: DirectoryConnection, left: string[], use: Parameters<Directory["lookUpAll"]>[1]) {
    do {
      const id = left[0]!;
      try {
        await use(id, await this.#current(connection, id));
      } catch (error) {
        // One account that cannot be read must not keep the rights of the others. `use` may read another account.
        const problem = error instanceof Unavailable ? error.cause : error;
        if (!(problem instanceof DirectoryProblem)) throw error;
        this.#log.warn(
          { err: problem, userId: `ldap-${id}` },
          "an account with tokens cannot be read from the directory",
        );
      }
      left.shift();
    } while (left.length > 0 && !connection.isEnded);
  }

  #connected<Result>(asker: string, work: (connection: DirectoryConnection) => Promise<Result>): Promise<Result> {
    return this.#queue.run(() => withConnection(this.#settings, this.#log, work), asker);
  }

  async #current(connection: DirectoryConnection, id: string): Promise<DirectoryAccount | undefined> {
    const [found, another] = await findAccounts(connection, this.#settings, this.#byId(id));
    if (found === undefined || hasEnded(found, Date.now())) return undefined;
    const entry = readEntry(found, attributesOf(this.#settings));
    // Otherwise a directory that hides an attribute would withdraw every account.
    if (typeof entry === "string") throw new DirectoryProblem(`An account of the directory ${entry}`);
    if (another !== undefined)
      throw new DirectoryProblem(
        "Two accounts of the directory have one id: name a unique attribute in LDAP_ID_ATTRIBUTE",
      );
    return this.#account(connection, entry);
  }

  #byId(id: string): Filter {
    const attribute = this.#settings.LDAP_ID_ATTRIBUTE;
    return new EqualityFilter({ attribute, value: isBinary(attribute) ? Buffer.from(id, "hex") : id });
  }

  /** The one entry of a login name; undefined for an unknown or ambiguous one, and for an entry that cannot be an account. */
  async #named(
    connection: DirectoryConnection,
    username: string,
    owner: DirectoryAttempt["owner"],
  ): Promise<DirectoryEntry | undefined> {
    const filter = this.#settings.LDAP_USER_FILTER.filled({ username });
    let found = await findAccounts(connection, this.#settings, filter);
    if (found.length > 1) {
      this.#log.warn(
        "a login name matches more than one directory account, so only its first user can log in: narrow LDAP_USER_FILTER",
      );
      const id = await owner(username);
      if (id === undefined) return undefined;
      const filters = [filter, this.#byId(id)];
      found = await findAccounts(connection, this.#settings, new AndFilter({ filters }));
    }
    if (found.length !== 1 || hasEnded(found[0]!, Date.now())) return undefined;
    const entry = readEntry(found[0]!, attributesOf(this.#settings));
    if (typeof entry !== "string") return entry;
    this.#log.warn(`the login fails, because the account of the directory ${entry}`);
    return undefined;
  }

  /** True if the directory accepts the password; false if it refuses. @param dn undefined for an unknown account @throws {DirectoryProblem} */
  async #proves(connection: DirectoryConnection, dn: string | undefined, password: string): Promise<boolean> {
    const absent = `cn=${randomBytes(8).toString("hex")},${this.#settings.LDAP_USER_BASE}`;
    try {
      await connection.bindAsUser(dn ?? absent, password);
      return true;
    } catch (error) {
      if (!(error instanceof ResultCodeError)) throw error;
      if (!refusesPassword(error) && (dn !== undefined || isTemporary(error)))
        throw problemOf("password", error, this.#settings);
      if (dn !== undefined && !isOrdinaryRefusal(error))
        this.#log.info(
          { answer: resultName(error) },
          "the directory refuses an account for another reason than its password",
        );
      return false;
    }
  }

  async #account(connection: DirectoryConnection, entry: DirectoryEntry): Promise<DirectoryAccount> {
    const role = roleOf(await groupsOf(connection, this.#settings, entry), this.#settings.LDAP_ROLES);
    const { id, emails, name, passwordChanged } = entry;
    const organisation = role === "tenant" ? entry.organisation : undefined;
    return { id, emails, name, role, organisation, passwordChanged };
  }
}
