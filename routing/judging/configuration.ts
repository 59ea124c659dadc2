import { isIPv4, SocketAddress } from "node:net";
import { z } from "zod";
import { isPrefix } from "@routeql/database-access/number-resources";
import { YamlFile, type YamlPath } from "@routeql/metadata/read/yaml";

const asNumber = z.int().min(0).max(4_294_967_295);
const identifier = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/, "must be lower-case letters, digits, dots, hyphens or underscores");

const prefix = z.string().transform((text, context) => {
  const canonical = canonicalPrefix(text);
  if (canonical === undefined) context.addIssue({ code: "custom", message: `${text} is no IPv4 or IPv6 prefix` });
  else if (canonical.hostBits) context.addIssue({ code: "custom", message: `${text} has bits set beyond its length` });
  return canonical?.prefix ?? text;
});

const schema = z.strictObject({
  organisations: z.array(z.strictObject({ id: identifier, name: z.string().trim().min(1).max(200) })).default([]),
  prefixes: z
    .array(
      z.strictObject({
        prefix,
        origins: z.array(asNumber).max(1000),
        organisation: identifier.nullish().transform((id) => id ?? null),
      }),
    )
    .min(1)
    .max(100_000),
});

/** Prefixes and origins that detection compares updates with. */
export type Configuration = z.infer<typeof schema>;

/** All problems of a configuration; each names its line. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** Reads the YAML text of a configuration. @param file its name, for error messages. @throws ConfigurationError with all problems. */
export function parseConfiguration(text: string, file: string): Configuration {
  const yaml = new YamlFile(text);
  const problems: { line: number; message: string }[] = [];
  const fail = (): never => {
    const sorted = problems
      .toSorted((a, b) => a.line - b.line)
      .map(({ line, message }) => `${file}:${line}: ${message}`);
    throw new ConfigurationError(sorted.join("\n"));
  };
  const { value, problem } = yaml.read();
  if (problem !== undefined)
    for (const { line, reason } of yaml.problems.length === 0 ? [problem] : yaml.problems)
      problems.push({ line, message: reason });
  if (problems.length > 0) fail();
  const parsed = schema.safeParse(value);
  const lineOf = (path: readonly PropertyKey[]): number => yaml.line(path as YamlPath) ?? 1;
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const keys = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
      for (const key of keys) {
        const path = key === undefined ? issue.path : [...issue.path, key];
        problems.push({
          line: lineOf(path),
          message: `${path.join(".") || "the file"}: ${key === undefined ? issue.message : "is not known here"}`,
        });
      }
    }
    return fail();
  }
  findRepetitions(
    parsed.data.prefixes.map(({ prefix }) => prefix),
    (index, first) =>
      problems.push({
        line: lineOf(["prefixes", index, "prefix"]),
        message: `the prefix is on line ${lineOf(["prefixes", first, "prefix"])} already`,
      }),
  );
  findRepetitions(
    parsed.data.organisations.map(({ id }) => id),
    (index, first) =>
      problems.push({
        line: lineOf(["organisations", index, "id"]),
        message: `the id is on line ${lineOf(["organisations", first, "id"])} already`,
      }),
  );
  return problems.length > 0 ? fail() : parsed.data;
}

function findRepetitions(values: readonly string[], found: (index: number, first: number) => void): void {
  const seen = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const first = seen.get(value);
    if (first === undefined) seen.set(value, index);
    else found(index, first);
  }
}

/** A prefix as Postgres prints it (RFC 5952); undefined for other text. `hostBits`: bits beyond its length are set. */
export function canonicalPrefix(text: string): { prefix: string; hostBits: boolean } | undefined {
  if (!isPrefix(text)) return undefined;
  const [address = "", length = ""] = text.split("/");
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const canonical = new SocketAddress({ address, family }).address;
  const bits = family === "ipv4" ? 32 : 128;
  const beyond = (1n << BigInt(bits - Number(length))) - 1n;
  return { prefix: `${canonical}/${length}`, hostBits: (addressNumber(canonical) & beyond) !== 0n };
}

function addressNumber(address: string): bigint {
  if (isIPv4(address)) return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  // The last 32 bits may be an IPv4 address.
  const plain = address.replace(/[^:]+\.[^:]+$/, (ipv4) => {
    const number = addressNumber(ipv4);
    return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
  });
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - groups.length - after.length }, () => "0");
  return [...groups, ...zeros, ...after].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}
