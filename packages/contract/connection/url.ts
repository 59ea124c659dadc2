/** Splits a connection URL as libpq does (conninfo_uri_parse_options in fe-connect.c of Postgres 18); WHATWG URLs differ from it. */

/** A URL that libpq or this product does not accept. The message contains no value, because values may be secrets. */
export class ConnectionUrlError extends Error {
  override readonly name = "ConnectionUrlError";
}

export type ConnectionParameters = Readonly<Record<string, string>>;

/** Every keyword of libpq, so that another one is refused as by libpq. */
const keywords = new Set(
  [
    "service servicefile user password passfile channel_binding connect_timeout dbname host hostaddr port client_encoding options",
    "application_name fallback_application_name keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout",
    "sslmode sslnegotiation sslcompression sslcert sslkey sslcertmode sslpassword sslrootcert sslcrl sslcrldir sslsni requirepeer",
    "require_auth min_protocol_version max_protocol_version ssl_min_protocol_version ssl_max_protocol_version gssencmode krbsrvname",
    "gsslib gssdelegation replication target_session_attrs load_balance_hosts scram_client_key scram_server_key",
    "oauth_issuer oauth_client_id oauth_client_secret oauth_scope sslkeylogfile",
  ]
    .join(" ")
    .split(" "),
);

/** Forms of a URL that other programs take, and the way to write them here. */
const otherForms: readonly (readonly [form: RegExp, remedy: string])[] = [
  [/^jdbc:postgresql:/i, "Remove jdbc:"],
  [/^postgres(?:ql)?\+[\w.]+:\/\//i, "Remove the + and the name of the driver"],
  [/^prisma(?:\+postgres)?:\/\//i, "Give the address of Postgres itself; Prisma's is another protocol"],
  [/^postgres(?:ql)?:\/\//i, "Write it in lower case"],
  [/^(?:psql\b|["'])/, "Give the URL alone, without psql and quotation marks"],
  [/^[\w ]+=/, "A list of keywords is not supported"],
];

/** Why a parameter that libpq does not have cannot be removed without a replacement. */
function remedyOf(keyword: string, value: string): string {
  if (keyword === "ssl") return `Write sslmode=${/^(?:false|0|off|no|disable)$/i.test(value) ? "disable" : "require"}`;
  return keyword === "pgbouncer" ? "Remove it, and give an address without a pooler" : "Remove it";
}

/** Whether a text is a connection URL at all. libpq also reads `host=… dbname=…`, which this product does not. */
export const isConnectionUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//.test(text);

function decoded(text: string, what: string): string {
  const trimmed = text.replace(/^ +| +$/g, "");
  if (trimmed.includes(" ")) throw new ConnectionUrlError(`${what} has a space. Write it as %20`);
  if (/%(?![0-9a-fA-F]{2})/.test(trimmed))
    throw new ConnectionUrlError(`${what} has a % without two hexadecimal digits. Write the character % as %25`);
  if (trimmed.includes("%00")) throw new ConnectionUrlError(`${what} has a zero byte (%00)`);
  try {
    return decodeURIComponent(trimmed);
  } catch {
    throw new ConnectionUrlError(`${what} is percent-encoded in another encoding than UTF-8`);
  }
}

/** Text up to one of these characters, and the rest with that character. */
function upTo(text: string, ends: string): readonly [before: string, rest: string] {
  let at = 0;
  while (at < text.length && !ends.includes(text[at]!)) at += 1;
  return [text.slice(0, at), text.slice(at)];
}

/** Hosts and ports as libpq joins them, with commas; the rest starts with `/` or `?`. */
function places(text: string): { readonly host: string; readonly port: string; readonly rest: string } {
  const [hosts, ports]: [string[], string[]] = [[], []];
  let rest = text;
  for (;;) {
    let host: string;
    if (rest.startsWith("[")) {
      const end = rest.indexOf("]");
      if (end === -1) throw new ConnectionUrlError("the IPv6 address of the host has no closing bracket");
      if (end === 1) throw new ConnectionUrlError("the IPv6 address of the host is empty");
      [host, rest] = [rest.slice(1, end), rest.slice(end + 1)];
      if (rest !== "" && !":/?,".includes(rest[0]!))
        throw new ConnectionUrlError("the IPv6 address of the host is not followed by a port or a slash");
    } else [host, rest] = upTo(rest, ":/?,");
    hosts.push(host);
    let port = "";
    if (rest.startsWith(":")) [port, rest] = upTo(rest.slice(1), "/?,");
    ports.push(port);
    if (!rest.startsWith(",")) return { host: hosts.join(","), port: ports.join(","), rest };
    rest = rest.slice(1);
  }
}

function* parametersOf(query: string): Iterable<readonly [name: string, value: string]> {
  for (const part of query === "" ? [] : query.replace(/&$/, "").split("&")) {
    const [name = "", value, ...more] = part.split("=");
    if (value === undefined) throw new ConnectionUrlError("a parameter after ? has no value. Write name=value");
    if (more.length > 0)
      throw new ConnectionUrlError("a parameter after ? has a second = sign. Write it as %3D inside a value");
    const keyword = decoded(name, "the name of a parameter after ?");
    const text = decoded(value, "the value of a parameter after ?");
    // As in libpq: the forms of JDBC, and of Postgres before 7.4.
    if (keyword === "ssl" && text === "true") yield ["sslmode", "require"];
    else if (keyword === "requiressl") yield ["sslmode", text.startsWith("1") ? "require" : "prefer"];
    else if (!keywords.has(keyword)) {
      // After an unencoded / and ? of a password, its rest stands here.
      const isNamed = /^\w{1,40}$/.test(keyword) && !query.includes("@");
      throw new ConnectionUrlError(
        `libpq, and so Hasura and pg_dump, have no parameter ${isNamed ? keyword : "of such a name"}. ${isNamed ? remedyOf(keyword, text) : query.includes("@") ? "Write a / or ? of the password as %2F or %3F" : "Remove it"}`,
      );
    } else yield [keyword, text];
  }
}

/** The parameters of a URL by libpq's keywords; absent ones have no entry. @throws ConnectionUrlError where libpq refuses the URL */
export function parseConnectionUrl(text: string): ConnectionParameters {
  if (!isConnectionUrl(text)) {
    const [, remedy] = otherForms.find(([form]) => form.test(text)) ?? [];
    throw new ConnectionUrlError(
      `it must begin with postgres:// or postgresql://${remedy === undefined ? "" : `. ${remedy}`}`,
    );
  }
  let rest = text.slice(text.indexOf("://") + 3);
  const found = new Map<string, string>();
  const store = (keyword: string, written: string, what: string): void => {
    if (written !== "") found.set(keyword, decoded(written, what));
  };
  const login = upTo(rest, "@/");
  if (login[1].startsWith("@")) {
    const [user, password] = upTo(login[0], ":");
    store("user", user, "the user");
    store("password", password.slice(1), "the password");
    rest = login[1].slice(1);
  }
  const { host, port, rest: path } = places(rest);
  store("host", host, "the host");
  store("port", port, "the port");
  const [name, query] = path.startsWith("/") ? upTo(path.slice(1), "?") : ["", path];
  store("dbname", name, "the name of the database");
  for (const [keyword, value] of parametersOf(query.slice(1))) found.set(keyword, value);
  return Object.fromEntries(found);
}
