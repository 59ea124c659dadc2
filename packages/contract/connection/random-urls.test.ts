import { spawnSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { randomUrls } from "../testing/random-urls.ts";
import { readConnection, writeConnection } from "./connection.ts";
import { ConnectionUrlError, parseConnectionUrl } from "./url.ts";

/** libpq keeps the bytes of any encoding; this product refuses another one than UTF-8. */
const byDesign = "another encoding than UTF-8";

/** Answers each line, a URL in JSON, with libpq's values or its reason. The address is none, so libpq checks all options and then ends. */
const program = `
import ctypes, ctypes.util, json, sys
pq = ctypes.CDLL(sys.argv[1] or ctypes.util.find_library("pq") or "libpq.so.5")
class Option(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("keyword", "a", "b", "value", "c", "d")] + [("e", ctypes.c_int)]
pq.PQconninfoParse.restype = pq.PQconninfo.restype = ctypes.POINTER(Option)
pq.PQconnectStartParams.restype = ctypes.c_void_p
pq.PQerrorMessage.restype = ctypes.c_char_p
pq.PQerrorMessage.argtypes = pq.PQfinish.argtypes = pq.PQconninfo.argtypes = [ctypes.c_void_p]
def values(options):
    found, at = {}, 0
    while options[at].keyword:
        if options[at].value is not None: found[options[at].keyword.decode()] = options[at].value.decode()
        at += 1
    return found
def answer(url):
    reason = ctypes.c_char_p()
    options = pq.PQconninfoParse(url, ctypes.byref(reason))
    if not options: return {"reason": reason.value.decode(errors="replace")}
    given = values(options)
    texts = lambda *each: (ctypes.c_char_p * 3)(*each, None)
    connection = pq.PQconnectStartParams(texts(b"dbname", b"hostaddr"), texts(url, b"none"), 1)
    message = pq.PQerrorMessage(connection).decode(errors="replace")
    meant = values(pq.PQconninfo(connection))
    pq.PQfinish(connection)
    return {"given": given, "meant": meant, "problem": None if 'network address "none"' in message else message}
print(pq.PQlibVersion())
for line in sys.stdin:
    try: print(json.dumps(answer(json.loads(line).encode())))
    except UnicodeDecodeError: print(json.dumps({"reason": "${byDesign}"}))
`;

type Values = Readonly<Record<string, string>>;
interface Verdict {
  /** Absent for a URL that libpq refuses. */
  readonly given?: Values;
  /** With libpq's defaults. */
  readonly meant?: Values;
  /** Why libpq does not connect with these values. */
  readonly problem?: string | null;
}

/** The verdicts of libpq, or the reason why there are none. ROUTEQL_LIBPQ names its file. */
function libpq(urls: readonly string[]): readonly Verdict[] | string {
  const { stdout, status } = spawnSync("python3", ["-c", program, process.env["ROUTEQL_LIBPQ"] ?? ""], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] },
    input: urls.map((url) => `${JSON.stringify(url)}\n`).join(""),
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) return "python3 and libpq are not on this machine";
  const [version, ...lines] = stdout.trimEnd().split("\n");
  if (Number(version) < 180_000) return `libpq ${version} is older than 18. Name another one with ROUTEQL_LIBPQ`;
  return lines.map((line) => JSON.parse(line) as Verdict);
}

function accepted<Result>(read: () => Result): Result | typeof byDesign | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConnectionUrlError)) throw error;
    return error.message.includes(byDesign) ? byDesign : undefined;
  }
}

/** With ROUTEQL_RANDOM_URLS=10000 the test compares more; `npx vitest run --project unit random-urls`. */
const count = Number(process.env["ROUTEQL_RANDOM_URLS"] ?? 500);
const urls = fc.sample(randomUrls, { numRuns: count, seed: Number(process.env["ROUTEQL_RANDOM_SEED"] ?? 5432) });

test("splits random URLs exactly as libpq, and reads each value as libpq or refuses it", (context) => {
  const read = urls
    .map((url) => accepted(() => readConnection(url)))
    .map((each) => (each === byDesign ? undefined : each));
  const written = read.map((connection) => (connection === undefined ? "" : writeConnection(connection)));
  const verdicts = libpq([...urls, ...written]);
  if (typeof verdicts === "string") {
    context.skip(verdicts);
    return;
  }
  const differences = urls.flatMap((url, index) => {
    const [verdict, ofWritten] = [verdicts[index]!, verdicts[urls.length + index]!];
    const split = accepted(() => parseConnectionUrl(url));
    const pairs: (readonly [unknown, unknown])[] = split === byDesign ? [] : [[split, verdict.given]];
    const connection = read[index];
    if (connection !== undefined) {
      const { host, port, user = "", password = "", database = "", channelBinding = "prefer" } = connection;
      const { sslmode = "prefer", sslrootcert = "" } = connection;
      const ours = [host, port, user, password, database, sslmode, channelBinding, sslrootcert];
      const theirs = ({ given = {}, meant = {} }: Verdict): readonly unknown[] => [
        given["host"] ?? "",
        Number(meant["port"] || 5432),
        ...["user", "password", "dbname"].map((name) => given[name] ?? ""),
        ...["sslmode", "channel_binding", "sslrootcert"].map((name) => meant[name] ?? ""),
      ];
      for (const each of [verdict, ofWritten]) pairs.push([ours, theirs(each)], [null, each.problem]);
    }
    const differing = pairs.filter(([ours, theirs]) => !isDeepStrictEqual(ours, theirs));
    return differing.map((pair) => `${JSON.stringify(url)}: ${JSON.stringify(pair)}`);
  });
  expect(differences).toEqual([]);
  expect(verdicts.slice(0, count).filter(({ given }) => given !== undefined).length).toBeGreaterThan(count / 2);
  expect(read.filter((each) => each !== undefined).length).toBeGreaterThan(count / 4);
});
