import { statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { printPath } from "@routeql/metadata/read/load";
import { z } from "zod";
import type { Given, Option, Terminal } from "./cli/command.ts";
import { nearest } from "@routeql/metadata/nearest";
import { readTextOf, yamlOf } from "./cli/read-file.ts";
import { UsageError } from "./cli/usage-error.ts";
import { linesOf } from "./metadata/lines.ts";
import { valueAt } from "@routeql/metadata/read/load";

type Path = readonly (string | number)[];

interface ConfigurationIssue {
  readonly path: Path;
  readonly reason: string;
}

const names: Readonly<Record<string, string>> = {
  string: "a text",
  array: "a list",
  object: "a mapping",
  record: "a mapping",
  boolean: "true or false",
  number: "a number",
};

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return names[typeof value] ?? typeof value;
}

/** A problem of the configuration in words: the expected and the actual value. */
function describeIssue(
  issue: z.core.$ZodIssue,
  content: unknown,
  known: readonly string[],
): readonly ConfigurationIssue[] {
  const path = issue.path as Path;
  const found = kindOf(valueAt(content, path));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const suggestion = path.length === 0 ? nearest(key, known) : undefined;
      return {
        path: [...path, key],
        reason: `unknown key${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`,
      };
    });
  }
  if (issue.code === "invalid_type")
    return [{ path, reason: `this must be ${names[issue.expected] ?? issue.expected}, and is ${found}` }];
  if (issue.code === "invalid_union")
    return [{ path, reason: `this must be a text or a list of texts, and is ${found}` }];
  return [{ path, reason: issue.message }];
}

/** Default names of the configuration file: the current and the older one. */
export const configurationFile = "hasura-checks.yaml";
const olderFile = "routeql.yaml";

const oneOrMore = z.union([
  z
    .string()
    .min(1)
    .transform((value) => [value]),
  z.array(z.string().min(1)).min(1),
]);
const sessionVariable = z
  .string()
  .regex(/^x-hasura-/i, "a session variable begins with x-hasura-")
  .transform((name) => name.toLowerCase());

const argument = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? null : String(value)));

const shape = z.strictObject({
  metadata: z.string().optional(),
  expectations: z.string().optional(),
  sessionVariables: z.array(sessionVariable).optional(),
  /** Roles of tokens that must have no permission in the metadata. */
  rolesWithoutPermission: z.array(z.string().min(1)).default([]),
  /** Further sessions, besides those with values of the database, by role. */
  sessions: z.record(z.string(), z.array(z.record(sessionVariable, z.string()))).default({}),
  /** Arguments for native queries and functions, by root field; guessed if absent. */
  arguments: z.record(z.string(), z.array(z.record(z.string(), argument)).min(1)).default({}),
  /** Roles that may read and write every row, such as that of a backend. Rules about open permissions ignore them. */
  trustedRoles: z.array(z.string().min(1)).default([]),
  inferFunctionPermissions: z.boolean().default(true),
  /** The unauthorized role of Hasura, for requests without a token. */
  unauthorizedRole: z.string().min(1).optional(),
  /** Disabled rules, with reasons. */
  off: z.record(z.string(), z.string().min(1, "a reason is needed")).default({}),
  exceptions: z
    .array(
      z.strictObject({
        rule: z.string(),
        table: oneOrMore.optional(),
        role: oneOrMore.optional(),
        name: oneOrMore.optional(),
        reason: z.string().min(1, "a reason is needed"),
      }),
    )
    .default([]),
});

export type Configuration = z.output<typeof shape> & {
  /** Relative to the working directory; undefined without a file. */
  readonly file: string | undefined;
};

export const commonOptions = {
  metadata: {
    type: "string",
    value: "DIR",
    help: "the metadata directory (config v3), a project of Hasura's CLI with its config.yaml, or one file with exported metadata; default: the one that the configuration names, else hasura-metadata or metadata",
  },
  config: {
    type: "string",
    value: "FILE",
    help: `the configuration; default: ${configurationFile} (or ${olderFile}) in the working directory, if there is one`,
  },
} as const satisfies Readonly<Record<string, Option>>;

/** @throws UsageError that lists all problems of the file */
export function readConfiguration(given: Given, { directory }: Pick<Terminal, "directory">): Configuration {
  const named = given.text("config");
  const isThere = (name: string) => statSync(resolve(directory, name), { throwIfNoEntry: false }) !== undefined;
  const path = resolve(
    directory,
    named ?? (!isThere(configurationFile) && isThere(olderFile) ? olderFile : configurationFile),
  );
  if (named === undefined && statSync(path, { throwIfNoEntry: false }) === undefined)
    return { ...shape.parse({}), file: undefined };
  const file = relative(directory, path);
  const text = readTextOf(path, named ?? file);
  const content = yamlOf(text, file) ?? {};
  const result = shape.safeParse(content);
  if (result.success) return { ...result.data, file };
  const lineOf = linesOf(text);
  const problems = result.error.issues.flatMap((issue) => describeIssue(issue, content, Object.keys(shape.shape)));
  throw new UsageError(
    problems
      .map(
        ({ path, reason }) =>
          `${file}:${lineOf(printPath(path))}: ${path.length === 0 ? "" : `${printPath(path)}: `}${reason}`,
      )
      .join("\n"),
  );
}

/** The metadata directory, from the option, the configuration, the config.yaml of a Hasura CLI project or a usual name. @throws UsageError */
export function metadataDirectory(given: Given, configuration: Configuration, directory: string): string {
  const named = given.text("metadata") ?? configuration.metadata;
  const isDirectory = (name: string) =>
    statSync(resolve(directory, name), { throwIfNoEntry: false })?.isDirectory() === true;
  const found =
    named ?? ["hasura-metadata", "metadata", "hasura/metadata"].find(isDirectory) ?? projectMetadata(".", directory);
  if (found === undefined) throw new UsageError("no metadata directory was found. Give --metadata DIR");
  return projectMetadata(found, directory) ?? found;
}

function projectMetadata(name: string, directory: string): string | undefined {
  const file = join(name, "config.yaml");
  if (
    statSync(resolve(directory, name, "version.yaml"), { throwIfNoEntry: false }) !== undefined ||
    statSync(resolve(directory, file), { throwIfNoEntry: false }) === undefined
  )
    return undefined;
  const content = yamlOf(readTextOf(resolve(directory, file), file), file);
  const { metadata_directory: inside = "metadata" } = (content ?? {}) as { readonly metadata_directory?: unknown };
  if (typeof inside !== "string") throw new UsageError(`${file}: metadata_directory is not a text`);
  return join(name, inside);
}
