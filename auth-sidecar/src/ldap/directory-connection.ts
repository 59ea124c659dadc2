import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { BusyError, Client, ResultCodeError, UnavailableError } from "ldapts";
import { inCurrentSpan } from "@routeql/tracing/span";
import type { Logger } from "pino";
import { SidecarError, Unavailable } from "../errors.ts";

export interface ServersOptions {
  readonly urls: readonly string[];
  readonly startTls: boolean;
  /** PEM; by default the system's CAs. */
  readonly ca: string | undefined;
  readonly bindDn: string | undefined;
  readonly bindPassword: string | undefined;
  readonly timeoutMilliseconds: number;
}

/**
 * Runs `work` on a separate connection bound as the search account, with the first server that accepts it.
 * @throws {Unavailable} if no server accepts it, or the connection breaks
 */
export async function withConnection<Result>(
  options: ServersOptions,
  log: Logger,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await firstServer(options, log);
  try {
    return await work(client);
  } catch (error) {
    throw isOutage(error) ? new Unavailable("directory", error) : error;
  } finally {
    leave(client);
  }
}

async function firstServer(options: ServersOptions, log: Logger): Promise<Client> {
  let last: unknown;
  for (const url of options.urls) {
    const client = oneConnection(url, options);
    try {
      await inDirectorySpan("LDAP bind of the search account", url, () =>
        within(options.timeoutMilliseconds, begin(client, url, options)),
      );
      return client;
    } catch (error) {
      last = error;
      log.warn({ err: error, server: url }, "a directory server does not accept the connection");
      leave(client);
    }
  }
  throw new Unavailable("directory", last);
}

/** A call of a directory server, without names and filters. */
function inDirectorySpan<Result>(name: string, url: string, work: () => Promise<Result>): Promise<Result> {
  const { hostname, port } = new URL(url);
  return inCurrentSpan(
    name,
    "client",
    {
      "network.protocol.name": "ldap",
      "server.address": hostname,
      "server.port": port === "" ? undefined : Number(port),
    },
    work,
  );
}

async function begin(
  client: Client,
  url: string,
  { startTls, ca, bindDn, bindPassword }: ServersOptions,
): Promise<void> {
  if (startTls && url.startsWith("ldap:")) await client.startTLS(tlsOptions(url, ca));
  await client.bind(bindDn ?? "", bindPassword ?? "");
}

/** ldapts silently reconnects without bind and StartTLS, so each client may connect only once. */
function oneConnection(url: string, { ca, timeoutMilliseconds: timeout }: ServersOptions): Client {
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

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("no answer in time")), milliseconds);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

function leave(client: Client): void {
  // Does not wait for an unbind that a dead server would never acknowledge.
  client.unbind().catch(() => undefined);
}

/** True for any error that is not an answer of the directory, and for answers that report a temporary failure. */
function isOutage(error: unknown): boolean {
  if (error instanceof ResultCodeError) return error instanceof UnavailableError || error instanceof BusyError;
  return !(error instanceof SidecarError);
}
