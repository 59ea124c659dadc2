/** Random connection URLs for a comparison with libpq's verdict: ordinary and strange forms, of which some have one character changed. */
import fc from "fast-check";

const plain = Array.from("abcXYZ019._-~");
const special = Array.from("@:/?#[]%&=+,;!$'()*\"\\<>{}|^` \t\u00e4\u5c71\u{1f600}");
const encoded = (text: string): string => Buffer.from(text).toString("hex").replace(/../g, "%$&");
const escape = fc.constantFrom(
  ...special.map(encoded),
  ...special.map((each) => encoded(each).toUpperCase()),
  "%61",
  "%2B",
);

/** A text that is mostly well encoded. */
const text = fc
  .array(
    fc.oneof(
      { weight: 80, arbitrary: fc.constantFrom(...plain) },
      { weight: 20, arbitrary: escape },
      { weight: 8, arbitrary: fc.constantFrom(...Array.from("!$'()*+;~\u00e4")) },
      { weight: 1, arbitrary: fc.constantFrom(...special, "%", "%0", "%00", "%E4", "%zz", "%C3%A4") },
    ),
    { maxLength: 8 },
  )
  .map((characters) => characters.join(""));

const login = fc.oneof(
  fc.constant(""),
  text.map((user) => `${user}@`),
  { weight: 4, arbitrary: fc.tuple(text, text).map(([user, password]) => `${user}:${password}@`) },
);

const host = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("db", "DB.example.net", "db.example.net.", "192.0.2.1", "localhost", "d_b-1", ""),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "[2001:db8::1]",
      "[::1]",
      "[fe80::1%25eth0]",
      "[::ffff:192.0.2.1]",
      "[2001:DB8:0:0::1]",
      "[db]",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("2001:db8::1", "[]", "[::1", "[::1]x") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("%2Frun%2Fpostgresql", "%2ftmp", "%40abstract", "d%62", "%20db", "db%2Cother"),
  },
  { weight: 2, arbitrary: text },
);
const port = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 4, arbitrary: fc.constantFrom(":5432", ":6543", ":1", ":65535", ":25060") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ":",
      ":0",
      ":65536",
      ":+5432",
      ":05432",
      ":0005432",
      ":-1",
      ":5432x",
      ": 5432",
      ":5432 ",
      ":%35432",
      ":5432%20",
      ":%0A5432",
      ":5_432",
      ":5.0",
      ":1e3",
      ":0x10",
      ":99999999999",
      ":\u0665",
      ":5432%C2%A0",
      ":5432:1",
    ),
  },
);
const places = fc.tuple(host, port).chain(([one, number]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(one + number) },
    fc.tuple(host, port).map(([other, second]) => `${one}${number},${other}${second}`),
  ),
);

const numbers = ["10", "0", "-1", "+5", " 7 ", "1.5", "x", "", "2147483647", "2147483648", "99999999999", "0x10"];
const values: Readonly<Record<string, readonly string[]>> = {
  sslmode: [
    "disable",
    "allow",
    "prefer",
    "require",
    "verify-ca",
    "verify-full",
    "no-verify",
    "REQUIRE",
    "",
    " require",
  ],
  sslrootcert: ["system", "/etc/ssl/ca.pem", "", "ca.pem", "System", "%2Fetc%2Fca.pem"],
  channel_binding: ["disable", "prefer", "require", "", "Require"],
  ssl: ["true", "True", "1", "false", "require", ""],
  requiressl: ["1", "0", "", "10", "true"],
  user: ["u", "", "a%40b", "u+v"],
  password: ["p", "", "a%26b", "p+q", "p%3Dq"],
  host: ["other", "", "/run/postgresql", "::1", "%5B::1%5D", "a,b"],
  hostaddr: ["", "192.0.2.1"],
  port: ["5433", "", "0", "1,2", "+1", "%205433"],
  dbname: ["other", "", "postgres://x", "a%3Db", "host%3Dx"],
  application_name: ["routeql", "", "a%20b", "a b"],
  fallback_application_name: ["x"],
  client_encoding: ["UTF8", "utf-8", "auto", "latin1", "", "Auto"],
  connect_timeout: numbers,
  gssencmode: ["disable", "prefer", "require", ""],
  gssdelegation: ["0", "1", ""],
  gsslib: ["gssapi"],
  keepalives: numbers,
  keepalives_count: numbers,
  keepalives_idle: numbers,
  keepalives_interval: numbers,
  krbsrvname: ["postgres", ""],
  load_balance_hosts: ["disable", "random", "", "x"],
  ssl_max_protocol_version: ["", "TLSv1.3", "TLSv1.2", "tlsv1.3", "TLSv1"],
  ssl_min_protocol_version: ["", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3", "tlsv1.2"],
  min_protocol_version: ["3.0", "3.2", "latest"],
  max_protocol_version: ["3.0", "3.2", "latest", ""],
  sslcertmode: ["allow", "disable", "require", ""],
  sslcompression: ["0", "1", ""],
  sslnegotiation: ["postgres", "direct", ""],
  sslsni: ["1", "0", ""],
  target_session_attrs: ["any", "read-write", "", "Any"],
  tcp_user_timeout: numbers,
  options: ["", "-c%20a%3Db", "endpoint%3Dx"],
  service: ["x", ""],
  sslcert: ["/c", ""],
  sslkey: ["/k", ""],
  passfile: ["/p"],
  replication: ["", "true"],
  require_auth: ["scram-sha-256", ""],
  pgbouncer: ["true"],
  schema: ["public"],
  SSLMODE: ["require"],
};

const usual = [
  "sslmode",
  "sslmode",
  "sslmode",
  "sslrootcert",
  "channel_binding",
  "connect_timeout",
  "application_name",
  "ssl",
];
const keyword = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...usual) },
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(values)) },
);
const parameter = keyword.chain((name) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 7, arbitrary: fc.constantFrom(...values[name]!.slice(0, 3)) },
        { weight: 3, arbitrary: fc.constantFrom(...values[name]!) },
        { weight: 1, arbitrary: text },
      ),
      fc.oneof({ weight: 9, arbitrary: fc.constant(name) }, fc.constant(encoded(name)), fc.constant(` ${name}`)),
    )
    .map(([value, written]) => `${written}=${value}`),
);
const query = fc.oneof(fc.constant(""), {
  weight: 4,
  arbitrary: fc
    .tuple(
      fc.array(parameter, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...Array<string>(12).fill(""), "&", "&", "&&", "&x", "="),
    )
    .map(([all, end]) => `?${all.join("&")}${end}`),
});
const database = fc.oneof(
  fc.constant(""),
  fc.constant("/"),
  { weight: 4, arbitrary: fc.constantFrom("/app", "/postgres", "/a-b_c", "/App") },
  { weight: 2, arbitrary: text.map((name) => `/${name}`) },
);
const scheme = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom("postgres://", "postgresql://") },
  fc.constantFrom("postgres:", "Postgres://", "postgres:/", "postgresql+asyncpg://", " postgres://"),
);

const url = fc.tuple(scheme, login, places, database, query).map((parts) => parts.join(""));

/** URLs without a zero character, which no file that the product reads has. */
export const randomUrls: fc.Arbitrary<string> = url.chain((given) =>
  fc.oneof(
    { weight: 7, arbitrary: fc.constant(given) },
    fc
      .tuple(fc.nat(Math.max(0, given.length - 1)), fc.constantFrom("", ...special), fc.nat(1))
      .map(([at, character, removed]) => given.slice(0, at) + character + given.slice(at + removed)),
  ),
);
