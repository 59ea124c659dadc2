import { wordsOf } from "@routeql/metadata/read/issue-words";
import { z } from "zod";
import type { Configuration } from "./parsed-configuration.ts";
import { canonicalPrefix, lengthOf } from "../../formats/prefix.ts";
import type { CheckedYaml } from "./problems.ts";
import { originRule } from "../rules.ts";

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

const peers = z.int().min(0).max(10_000);

const schema = z.strictObject({
  min_peers: peers.default(1),
  organisations: z.array(z.strictObject({ id: identifier, name: z.string().trim().min(1).max(200) })).default([]),
  prefixes: z
    .array(
      z.strictObject({
        prefix,
        origins: z.array(asNumber).max(1000),
        organisation: identifier.nullish().transform((id) => id ?? null),
        min_peers: peers.optional(),
      }),
    )
    .min(1, "no prefix is listed")
    .max(100_000),
});

/** RouteQL's own form: organisations, and prefixes with their origins. @throws ConfigurationError with all problems */
export function readOwnConfiguration(yaml: CheckedYaml): Configuration {
  const parsed = schema.safeParse(yaml.value);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const keys = issue.code === "unrecognized_keys" ? issue.keys : [undefined];
      for (const key of keys) {
        const path = key === undefined ? issue.path : [...issue.path, key];
        yaml.problem(path, `${path.join(".")}: ${key === undefined ? wordsOf(issue) : "is not known here"}`);
      }
    }
    yaml.end();
    throw parsed.error;
  }
  const { organisations, prefixes, min_peers: leastPeers } = parsed.data;
  const repeated = (values: readonly string[], place: (index: number) => PropertyKey[], what: string): void => {
    const seen = new Map<string, number>();
    for (const [index, value] of values.entries()) {
      const first = seen.get(value);
      if (first === undefined) seen.set(value, index);
      else yaml.problem(place(index), `the ${what} is on line ${yaml.lineOf(place(first))} already`);
    }
  };
  repeated(
    prefixes.map(({ prefix }) => prefix),
    (index) => ["prefixes", index, "prefix"],
    "prefix",
  );
  repeated(
    organisations.map(({ id }) => id),
    (index) => ["organisations", index, "id"],
    "id",
  );
  const warnings = yaml.end();
  return {
    organisations,
    prefixes: prefixes.map(({ prefix, origins, organisation, min_peers: least = leastPeers }) => {
      const length = lengthOf(prefix);
      const sorted = [...new Set(origins)].toSorted((a, b) => a - b);
      return {
        prefix,
        organisation,
        minPeers: least,
        rules: [{ low: length, high: length, order: 0, rule: originRule("origins", sorted) }],
      };
    }),
    autoignore: null,
    warnings,
  };
}
