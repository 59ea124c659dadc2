import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { Client, ResultCodeError } from "ldapts";
import { protectFromIssuers } from "@routeql/contract/connection/peer-certificates";
import { within } from "@routeql/contract/within";
import { type Attributes, inCurrentSpan } from "@routeql/tracing/span";
import type { Logger } from "pino";
import { SidecarError, Unavailable } from "../errors.ts";
import type { Settings } from "../settings.ts";
import { AnswerTooLong, connectionProblem, problemOf, type Step } from "./directory-problems.ts";

protectFromIssuers();

type LdapSettings = Pick<Settings, Extract<keyof Settings, `LDAP_${string}`>>;
export type DirectorySettings = LdapSettings & Required<Pick<Settings, "LDAP_URL" | "LDAP_USER_BASE">>;

export const hasDirectory = <Given extends LdapSettings>(settings: Given): settings is Given & DirectorySettings =>
  settings.LDAP_URL !== undefined && settings.LDAP_USER_BASE !== undefined;

/** Bytes that a server may send in answer to one call. An account with 1,500 groups needs about 300 KB. */
const mostBytes = 1024 * 1024;
/** Bytes that ldapts reads at once. It calls itself for each message in them, so 64 KiB of tiny ones overflow the stack and end the process. */
const mostAtOnce = 8 * 1024;

/** A connection to one server; its calls have spans without names and filters. */
export class DirectoryConnection {
  readonly #client: Client;
  readonly #settings: DirectorySettings;
  readonly #url: string;
  readonly #attributes: Attributes;
  #received = 0;
  #isTooLong = false;

  /** @param lookup in place of the name servers */
  constructor(url: string, settings: DirectorySettings, lookup?: LookupFunction) {
    this.#url = url;
    this.#settings = settings;
    this.#client = oneConnection(url, settings, (socket) => this.#bound(socket), lookup);
    const { hostname, port } = new URL(url);
    this.#attributes = {
      "network.protocol.name": "ldap",
      "server.address": hostname,
      "server.port": port === "" ? undefined : Number(port),
    };
  }

  /** Binds as the search account, with TLS where the settings want it. @throws {DirectoryProblem} */
  async begin(): Promise<void> {
    const { LDAP_STARTTLS: startTls, LDAP_CA: ca, LDAP_TIMEOUT_MILLISECONDS: timeout } = this.#settings;
    await this.#call("LDAP bind of the search account", "search account", (client) =>
      within(
        timeout,
        (async () => {
          if (startTls && this.#url.startsWith("ldap:"))
            await client.startTLS(tlsOptions(this.#url, ca)).catch((error: unknown) => {
              throw this.#explained("StartTLS", error);
            });
          await this.#bindAsSearchAccount(client);
        })(),
      ),
    );
  }

  /** Binds as the search account again after {@link proves}. @throws {DirectoryProblem} */
  async resume(): Promise<void> {
    await this.#call("LDAP bind of the search account", "search account", (client) =>
      this.#bindAsSearchAccount(client),
    );
  }

  /** @throws {DirectoryProblem} for any other result than success */
  search(step: Step, ...asked: Parameters<Client["search"]>): ReturnType<Client["search"]> {
    return this.#call("LDAP search", step, (client) => client.search(...asked));
  }

  /** Binds as a user. @throws {ResultCodeError} for another result than success */
  bindAsUser(dn: string, password: string): Promise<void> {
    this.#received = 0;
    return inCurrentSpan("LDAP bind of the user", "client", this.#attributes, () =>
      this.#client.bind(dn, password).catch((error: unknown) => {
        throw error instanceof ResultCodeError ? error : this.#explained("password", error);
      }),
    );
  }

  /** Whether an answer was too long: then the connection has ended, and other accounts need another one. */
  get isEnded(): boolean {
    return this.#isTooLong;
  }

  /** Does not wait for an unbind that a dead server would never acknowledge. */
  leave(): void {
    this.#client.unbind().catch(() => undefined);
  }

  #bindAsSearchAccount(client: Client): Promise<void> {
    return client.bind(this.#settings.LDAP_BIND_DN ?? "", this.#settings.LDAP_BIND_PASSWORD ?? "");
  }

  async #call<Result>(span: string, step: Step, work: (client: Client) => Promise<Result>): Promise<Result> {
    this.#received = 0;
    try {
      const answer = await inCurrentSpan(span, "client", this.#attributes, () => work(this.#client));
      // The last bytes of an answer may exceed the bound and still complete it.
      if (!this.#isTooLong) return answer;
    } catch (error) {
      throw this.#explained(step, error);
    }
    throw this.#explained(step);
  }

  #explained(step: Step, error?: unknown): unknown {
    // ldapts replaces the reason of the end with a text.
    if (this.#isTooLong) return new AnswerTooLong(step, mostBytes, this.#settings);
    if (error instanceof ResultCodeError) return problemOf(step, error, this.#settings);
    return error instanceof Error ? connectionProblem(step, this.#url, error, this.#settings) : error;
  }

  /** Ends the connection when an answer is too long. StartTLS reads through a second socket. */
  #bound(socket: Socket): void {
    socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.length;
      if (this.#received <= mostBytes || this.#isTooLong) return;
      this.#isTooLong = true;
      socket.destroy();
    });
    inPieces(socket);
  }
}

/** Emits each chunk of data as pieces of {@link mostAtOnce} bytes, until the socket ends. */
function inPieces(socket: Socket): void {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...values: unknown[]) => boolean;
  socket.emit = (event: string | symbol, ...values: unknown[]) => {
    const [chunk] = values;
    if (event !== "data" || !Buffer.isBuffer(chunk)) return emit(event, ...values);
    for (let start = 0; start < chunk.length && !socket.destroyed; start += mostAtOnce)
      emit(event, chunk.subarray(start, start + mostAtOnce));
    return true;
  };
}

/**
 * Runs `work` on a connection bound as the search account. Any failure but an error of our own is a reason to ask the next server of
 * LDAP_URL; a password is never sent again after a decision about it.
 * @throws {Unavailable} with the last server's reason
 */
export async function withConnection<Result>(
  settings: DirectorySettings,
  log: Logger,
  work: (connection: DirectoryConnection) => Promise<Result>,
): Promise<Result> {
  let last: unknown;
  for (const url of settings.LDAP_URL) {
    const connection = new DirectoryConnection(url, settings);
    try {
      await connection.begin();
      return await work(connection);
    } catch (error) {
      if (error instanceof SidecarError) throw error;
      last = error;
      log.warn({ err: error, server: url }, "a directory server does not give a usable answer");
    } finally {
      connection.leave();
    }
  }
  throw new Unavailable("directory", last);
}

/** ldapts silently reconnects without bind and StartTLS, so each client may connect only once. */
function oneConnection(
  url: string,
  { LDAP_CA: ca, LDAP_TIMEOUT_MILLISECONDS: timeout }: DirectorySettings,
  opened: (socket: Socket) => void,
  lookup: LookupFunction | undefined,
): Client {
  return new Client({
    url,
    timeout,
    connectTimeout: timeout,
    ...(url.startsWith("ldaps:")
      ? { tlsOptions: { ...tlsOptions(url, ca), ...(lookup === undefined ? {} : { lookup }) } }
      : {}),
    createConnection: once(plainBy(lookup), opened),
    createSecureConnection: once(connectTls, opened),
  });
}

/** The client passes port and host. */
const plainBy = (lookup: LookupFunction | undefined): typeof connectPlain =>
  lookup === undefined
    ? connectPlain
    : (((port: number, host: string) => connectPlain({ port, host, lookup })) as typeof connectPlain);

function once<Connect extends typeof connectPlain | typeof connectTls>(
  connect: Connect,
  opened: (socket: Socket) => void,
): Connect {
  let used = false;
  return ((...values: unknown[]) => {
    if (used) throw new Error("the directory closed the connection");
    used = true;
    const socket = (connect as (...values: unknown[]) => Socket)(...values);
    opened(socket);
    return socket;
  }) as Connect;
}
function tlsOptions(url: string, ca: string | undefined): ConnectionOptions {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return {
    minVersion: "TLSv1.2",
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
}
