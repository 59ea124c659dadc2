import { readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { Given, Option, Surroundings } from "./cli/command.ts";
import { printPath } from "@routeql/metadata/read/load";
import { UsageError } from "./cli/usage-error.ts";
import { describeIssue } from "./configuration-issues.ts";
import { linesOf } from "./metadata/lines.ts";

/** The file that is looked for in the working directory, and its older name. */
export const configurationFile = "hasura-checks.yaml";
const olderFile = "routeql.yaml";

const oneOrMore = z.union([z.string().min(1).transform((value) => [value]), z.array(z.string().min(1)).min(1)]);
const sessionVariable = z.string().regex(/^x-hasura-/i, "a session variable begins with x-hasura-").transform((name) => name.toLowerCase());

const argument = z.union([z.string(), z.number(), z.boolean(), z.null()]).transform((value) => (value === null ? null : String(value)));

const shape = z.strictObject({
  /** The metadata directory, for `--metadata`. */
  metadata: z.string().optional(),
  /** The file of expectations, for `--expectations`. */
  expectations: z.string().optional(),
  /** Session variables that tokens carry. */
  sessionVariables: z.array(sessionVariable).optional(),
  /** Roles that tokens may carry and that metadata are to grant nothing. */
  rolesWithoutPermission: z.array(z.string().min(1)).default([]),
  /** Sessions to try in addition to those made of the values in the database, by role. */
  sessions: z.record(z.string(), z.array(z.record(sessionVariable, z.string()))).default({}),
  /** Arguments by which native queries and functions are looked at, by root field; guessed where there are none. */
  arguments: z.record(z.string(), z.array(z.record(z.string(), argument)).min(1)).default({}),
  /** Roles that are meant to read and write every row, such as that of a backend: rules about open permissions leave them out. */
  trustedRoles: z.array(z.string().min(1)).default([]),
  /** Hasura's infer-function-permissions. */
  inferFunctionPermissions: z.boolean().default(true),
  /** Hasura's unauthorized-role: that of requests without a token. */
  unauthorizedRole: z.string().min(1).optional(),
  /** Rules that are not applied at all, and why. */
  off: z.record(z.string(), z.string().min(1, "a reason is needed")).default({}),
  /** What is excepted from a rule, and why. */
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
  /** As seen from the working directory; undefined when there is none. */
  readonly file: string | undefined;
};

export const commonOptions = {
  metadata: { type: "string", value: "DIR", help: "the metadata directory (config v3), a project of Hasura's CLI with its config.yaml, or one file with exported metadata; default: the one that the configuration names, else hasura-metadata or metadata" },
  config: { type: "string", value: "FILE", help: `the configuration; default: ${configurationFile} (or ${olderFile}) in the working directory, if there is one` },
} as const satisfies Readonly<Record<string, Option>>;

/** @throws UsageError that lists all that is wrong with the file */
export function readConfiguration(given: Given, { directory }: Pick<Surroundings, "directory">): Configuration {
  const named = given.text("config");
  const isThere = (name: string) => statSync(resolve(directory, name), { throwIfNoEntry: false }) !== undefined;
  const path = resolve(directory, named ?? (!isThere(configurationFile) && isThere(olderFile) ? olderFile : configurationFile));
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (named === undefined && (error as NodeJS.ErrnoException).code === "ENOENT") return { ...shape.parse({}), file: undefined };
    throw new UsageError(`${named ?? configurationFile} cannot be read: ${(error as NodeJS.ErrnoException).code ?? ""}`);
  }
  const file = relative(directory, path);
  let content: unknown;
  try {
    content = parse(text) ?? {};
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message.split("\n")[0] ?? ""}`);
  }
  const result = shape.safeParse(content);
  if (result.success) return { ...result.data, file };
  const lineOf = linesOf(text);
  const problems = result.error.issues.flatMap((issue) => describeIssue(issue, content, Object.keys(shape.shape)));
  throw new UsageError(problems.map(({ path, reason }) => `${file}:${lineOf(printPath(path))}: ${path.length === 0 ? "" : `${printPath(path)}: `}${reason}`).join("\n"));
}

/** The metadata directory: the option, the configuration, or one of the usual names; of a project of Hasura's CLI the one that its config.yaml names. @throws UsageError */
export function metadataDirectory(given: Given, configuration: Configuration, directory: string): string {
  const named = given.text("metadata") ?? configuration.metadata;
  const isDirectory = (name: string) => statSync(resolve(directory, name), { throwIfNoEntry: false })?.isDirectory() === true;
  const found = named ?? ["hasura-metadata", "metadata", "hasura/metadata"].find(isDirectory) ?? projectMetadata(".", directory);
  if (found === undefined) throw new UsageError("where are the metadata? Give --metadata DIR");
  return projectMetadata(found, directory) ?? found;
}

/** Where `metadata_directory` of a config.yaml leads; undefined where there is none, or the metadata themselves. */
function projectMetadata(name: string, directory: string): string | undefined {
  const file = join(name, "config.yaml");
  if (statSync(resolve(directory, name, "version.yaml"), { throwIfNoEntry: false }) !== undefined || statSync(resolve(directory, file), { throwIfNoEntry: false }) === undefined) return undefined;
  let content: unknown;
  try {
    content = parse(readFileSync(resolve(directory, file), "utf8"));
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message.split("\n")[0] ?? ""}`);
  }
  const { metadata_directory: inside = "metadata" } = (content ?? {}) as { readonly metadata_directory?: unknown };
  if (typeof inside !== "string") throw new UsageError(`${file}: metadata_directory is no text`);
  return join(name, inside);
}
