/** The meaning of a connection URL for every service: that of libpq, or a refusal with the name of the parameter. */
import { type ConnectionParameters, ConnectionUrlError, parseConnectionUrl } from "./url.ts";

export const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof sslModes)[number];

/** Values of `channel_binding` that differ from libpq's default, `prefer`. */
export const channelBindings = ["disable", "require"] as const;

export interface Encryption {
  /** Undefined is libpq's default, `prefer`. */
  readonly sslmode?: SslMode;
  /** `system`, or a file in PEM. */
  readonly sslrootcert?: string;
  /** Whether the login is bound to the certificate of the server (SCRAM-SHA-256-PLUS). Undefined: if the server offers it. */
  readonly channelBinding?: (typeof channelBindings)[number];
}

export interface Connection extends Encryption {
  /** A name, an address without brackets, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
}

/** A whole number as libpq reads it (pqParseIntParam in fe-connect.c): with a sign, spaces of ASCII around it, in 32 bits. */
function integerOf(text: string): number | undefined {
  const [, digits] = /^[ \t\n\v\f\r]*([-+]?\d+)[ \t\n\v\f\r]*$/.exec(text) ?? [];
  const value = Number(digits);
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : undefined;
}

interface Values {
  readonly test: (value: string) => boolean;
}

const any = /^/;
const number: Values = { test: (value) => integerOf(value) !== undefined };

/** Whole numbers that the system of the client accepts (tcp(7)): with another one libpq does not connect. */
const upTo = (most: number): Values => ({
  test: (value) => {
    const found = integerOf(value) ?? 0;
    return found >= 1 && found <= most;
  },
});

/** Parameters without an effect here, and their values without an effect in libpq. Others are refused, because services would differ. */
const harmless: Readonly<Record<string, Values>> = {
  application_name: any,
  fallback_application_name: any,
  client_encoding: /^(auto|utf-?8)$/i,
  connect_timeout: number,
  gssencmode: /^(disable|prefer)$/,
  gssdelegation: /^0$/,
  keepalives: number,
  keepalives_count: upTo(127),
  keepalives_idle: upTo(32_767),
  keepalives_interval: upTo(32_767),
  krbsrvname: any,
  load_balance_hosts: /^disable$/,
  ssl_max_protocol_version: /^(TLSv1\.3)?$/,
  ssl_min_protocol_version: /^(TLSv1(\.[12])?)?$/,
  sslcertmode: /^(allow|disable)$/,
  sslcompression: /^0$/,
  sslnegotiation: /^postgres$/,
  sslsni: /^1?$/,
  target_session_attrs: /^any$/,
  tcp_user_timeout: number,
};

const used = new Set(["user", "password", "host", "port", "dbname", "sslmode", "sslrootcert", "channel_binding"]);

const clientCertificate = "Remove it; the services log in by password";
const login = "Write the user and the password into the URL";

const remedies: Readonly<Record<string, string>> = {
  options: "Remove it; the services set their own options",
  hostaddr: "Give the address as the host",
  target_session_attrs: "Give the address of the primary",
  load_balance_hosts: "Remove it; the URL has one host",
  sslnegotiation: "Remove it; such a server offers the ordinary start of TLS too",
  require_auth: "Remove it; channel_binding=require demands SCRAM",
  sslcert: clientCertificate,
  sslkey: clientCertificate,
  passfile: login,
  service: login,
};

/** What Neon routes by for clients that do not send the host name in TLS. */
const routing = /^(?:endpoint|project)=[\w.-]+$/;

function refuseOthers(parameters: ConnectionParameters): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (used.has(name) || harmless[name]?.test(value) === true) continue;
    const remedy =
      name === "options" && routing.test(value)
        ? "Remove it; the services send the name of the host in TLS, which replaces it"
        : (remedies[name] ?? "Remove it");
    throw new ConnectionUrlError(
      `the parameter ${name}${harmless[name] === undefined ? "" : " with this value"} is not supported. ${remedy}`,
    );
  }
}

function portOf(text: string | undefined): number {
  const port = text === undefined || text === "" ? 5432 : (integerOf(text) ?? 0);
  if (port < 1 || port > 65_535)
    throw new ConnectionUrlError(
      "the port is not a number from 1 to 65535. Write a / or : of the user or password as %2F or %3A, and an IPv6 address in brackets",
    );
  return port;
}

function encryptionOf({ sslmode, sslrootcert }: ConnectionParameters): Encryption {
  const mode = sslModes.find((each) => each === sslmode);
  if (sslmode !== undefined && mode === undefined)
    throw new ConnectionUrlError(
      `sslmode has another value than ${sslModes.join(", ")}${sslmode === "no-verify" ? "; node-postgres's no-verify is require" : ""}`,
    );
  if (sslrootcert === undefined || sslrootcert === "") return mode === undefined ? {} : { sslmode: mode };
  if (sslrootcert !== "system") return { ...(mode === undefined ? {} : { sslmode: mode }), sslrootcert };
  if (mode !== undefined && mode !== "verify-full")
    throw new ConnectionUrlError("sslrootcert=system needs sslmode=verify-full, as in libpq");
  return { sslmode: "verify-full", sslrootcert };
}

function bindingOf({ channel_binding: value, sslmode, host = "" }: ConnectionParameters): Encryption {
  if (value === undefined || value === "prefer") return {};
  const channelBinding = channelBindings.find((each) => each === value);
  if (channelBinding === undefined)
    throw new ConnectionUrlError("channel_binding has another value than disable, prefer, require");
  if (channelBinding === "require" && (sslmode === "disable" || isSocket(host)))
    throw new ConnectionUrlError(
      `channel_binding=require needs TLS, which ${sslmode === "disable" ? "sslmode=disable forbids" : "sockets do not have"}. Remove one of them`,
    );
  return { channelBinding };
}

/** Reads a URL with one server. @throws ConnectionUrlError for a URL that libpq or a service of this product refuses */
export function readConnection(text: string): Connection {
  const parameters = parseConnectionUrl(text);
  refuseOthers(parameters);
  const { host = "", port, user, password, dbname: database } = parameters;
  if (host.includes(",") || (port ?? "").includes(","))
    throw new ConnectionUrlError(
      "it names several hosts. Give one: the primary, or an address that follows it, such as that of a proxy",
    );
  if ([host, port].some((each) => each?.includes("@") === true))
    throw new ConnectionUrlError("the host or port has an @. Write an @ of the user or password as %40");
  return {
    host,
    port: portOf(port),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    ...encryptionOf(parameters),
    ...bindingOf(parameters),
  };
}

/** Why a URL is not usable, without any value of it; undefined for a usable one. */
export function urlProblem(text: string): string | undefined {
  try {
    readConnection(text);
    return undefined;
  } catch (error) {
    if (error instanceof ConnectionUrlError) return error.message;
    throw error;
  }
}

/** Whether a host is the folder of a socket, as in libpq. */
export const isSocket = (host: string): boolean => host.startsWith("/");

/** A host as it stands in a URL: an IPv6 address in brackets. */
const writtenHost = (host: string): string => {
  const encoded = encodeURIComponent(host).replaceAll("%3A", ":");
  return host.includes(":") ? `[${encoded}]` : encoded;
};

/** A URL that libpq, node-postgres and {@link readConnection} read alike. */
export function writeConnection({ host, port, user, password, database, ...encryption }: Connection): string {
  const { sslmode, sslrootcert, channelBinding } = encryption;
  const login = [user ?? "", ...(password === undefined ? [] : [password])].map(encodeURIComponent).join(":");
  // libpq reads a plus sign as such.
  const query = Object.entries({ sslmode, sslrootcert, channel_binding: channelBinding })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join("&");
  return `postgres://${login === "" ? "" : `${login}@`}${writtenHost(host)}:${port}/${encodeURIComponent(database ?? "")}${query === "" ? "" : `?${query}`}`;
}
