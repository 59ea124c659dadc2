import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { BusyError, Client, ResultCodeError, UnavailableError } from "ldapts";
import { within } from "@routeql/contract/within";
import { type Attributes, inCurrentSpan } from "@routeql/tracing/span";
import type { Logger } from "pino";
import { SidecarError, Unavailable } from "../errors.ts";
import type { Settings } from "../settings.ts";

export type DirectorySettings = Settings & Required<Pick<Settings, "LDAP_URL" | "LDAP_USER_BASE">>;

export const hasDirectory = (settings: Settings): settings is DirectorySettings =>
  settings.LDAP_URL !== undefined && settings.LDAP_USER_BASE !== undefined;

/** A connection to one server; its calls have spans without names and filters. */
export class DirectoryConnection {
  readonly #client: Client;
  readonly #attributes: Attributes;

  constructor(url: string, settings: DirectorySettings) {
    this.#client = oneConnection(url, settings);
    const { hostname, port } = new URL(url);
    this.#attributes = {
      "network.protocol.name": "ldap",
      "server.address": hostname,
      "server.port": port === "" ? undefined : Number(port),
    };
  }

  call<Result>(span: string, work: (client: Client) => Promise<Result>): Promise<Result> {
    return inCurrentSpan(span, "client", this.#attributes, () => work(this.#client));
  }

  /** Does not wait for an unbind that a dead server would never acknowledge. */
  leave(): void {
    this.#client.unbind().catch(() => undefined);
  }
}

/** Runs `work` on a connection bound as the search account, at the first server that accepts it. @throws {Unavailable} */
export async function withConnection<Result>(
  settings: DirectorySettings,
  log: Logger,
  work: (connection: DirectoryConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await firstServer(settings, log);
  try {
    return await work(connection);
  } catch (error) {
    throw isOutage(error) ? new Unavailable("directory", error) : error;
  } finally {
    connection.leave();
  }
}

async function firstServer(settings: DirectorySettings, log: Logger): Promise<DirectoryConnection> {
  let last: unknown;
  for (const url of settings.LDAP_URL) {
    const connection = new DirectoryConnection(url, settings);
    try {
      await connection.call("LDAP bind of the search account", (client) =>
        within(settings.LDAP_TIMEOUT_MILLISECONDS, begin(client, url, settings)),
      );
      return connection;
    } catch (error) {
      last = error;
      log.warn({ err: error, server: url }, "a directory server does not accept the connection");
      connection.leave();
    }
  }
  throw new Unavailable("directory", last);
}

async function begin(
  client: Client,
  url: string,
  { LDAP_STARTTLS: startTls, LDAP_CA: ca, LDAP_BIND_DN: dn, LDAP_BIND_PASSWORD: password }: DirectorySettings,
): Promise<void> {
  if (startTls && url.startsWith("ldap:")) await client.startTLS(tlsOptions(url, ca));
  await client.bind(dn ?? "", password ?? "");
}

/** ldapts silently reconnects without bind and StartTLS, so each client may connect only once. */
function oneConnection(url: string, { LDAP_CA: ca, LDAP_TIMEOUT_MILLISECONDS: timeout }: DirectorySettings): Client {
  return new Client({
    url,
    timeout,
    connectTimeout: timeout,
    ...(url.startsWith("ldaps:") ? { tlsOptions: tlsOptions(url, ca) } : {}),
    createConnection: once(connectPlain),
    createSecureConnection: once(connectTls),
  });
}

function once<Connect extends typeof connectPlain | typeof connectTls>(connect: Connect): Connect {
  let used = false;
  return ((...values: unknown[]) => {
    if (used) throw new Error("the directory closed the connection");
    used = true;
    return (connect as (...values: unknown[]) => unknown)(...values);
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

/** True for any error that is not an answer of the directory, and for answers that report a temporary failure. */
function isOutage(error: unknown): boolean {
  if (error instanceof ResultCodeError) return error instanceof UnavailableError || error instanceof BusyError;
  return !(error instanceof SidecarError);
}
