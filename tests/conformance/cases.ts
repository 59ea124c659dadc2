import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parse } from "yaml";

/** A request and Hasura's reply. */
export interface Step {
  readonly description: string | undefined;
  readonly url: string;
  readonly method: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly query: unknown;
  readonly response: unknown;
  readonly allowedResponses: readonly unknown[] | undefined;
  /** Headers that the answer must have. */
  readonly answerHeaders: Readonly<Record<string, string>>;
}

export interface Command {
  readonly type: string;
  readonly args: unknown;
  readonly version?: number;
}

/** A subscription that Hasura's suite has explained with several variables. */
export interface LiveQuery {
  readonly query: string;
  readonly representative: unknown;
  /** Variables whose statement is that of the representative. */
  readonly same: readonly unknown[];
  readonly different: readonly unknown[];
}

/** One file of requests. */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly liveQuery: LiveQuery | undefined;
  /** Reason why it cannot run, if any. */
  readonly unusable: string | undefined;
}

/** A folder of cases that share a setup. */
export interface Folder {
  /** Path below the fixtures. */
  readonly name: string;
  readonly directory: string;
  readonly setup: readonly Command[];
  /** Reason why the setup cannot run, if any. */
  readonly unusable: string | undefined;
  /** Files that contain only API commands; Hasura's own tests apply them before some of the cases. */
  readonly helpers: readonly { readonly name: string; readonly commands: readonly Command[] }[];
  readonly cases: readonly Case[];
}

/** In the order in which Hasura's suite applies them. */
const setupFiles = ["pre_setup", "schema_setup", "setup", "values_setup", "post_setup"].flatMap((name) => [
  `${name}.yaml`,
  `${name}_postgres.yaml`,
]);
const teardown = /^(pre_|post_|schema_|values_)?teardown/;
const otherDatabase = /_(mssql|bigquery|citus|cockroach|mysql)\.yaml$/;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Single commands, including those inside bulks. */
export function commandsOf(value: unknown): readonly Command[] {
  if (Array.isArray(value)) return value.flatMap(commandsOf);
  if (!isRecord(value) || typeof value["type"] !== "string") return [];
  if (["bulk", "bulk_atomic", "concurrent_bulk"].includes(value["type"])) return commandsOf(value["args"] ?? []);
  return [
    {
      type: value["type"],
      args: value["args"],
      ...(typeof value["version"] === "number" ? { version: value["version"] } : {}),
    },
  ];
}

function textsOf(value: unknown): Record<string, string> | undefined {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
    : undefined;
}

/** A list of several valid replies may be the value itself, or below its own key. */
function allowedOf(value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return (value as readonly unknown[]).map((item) => (isRecord(item) && "response" in item ? item["response"] : item));
}

function stepOf(value: unknown): Step | undefined {
  if (!isRecord(value) || typeof value["url"] !== "string") return undefined;
  return {
    description: typeof value["description"] === "string" ? value["description"] : undefined,
    url: value["url"],
    method: typeof value["method"] === "string" ? value["method"] : "POST",
    status: typeof value["status"] === "number" ? value["status"] : 200,
    headers: textsOf(value["headers"]),
    query: value["query"],
    response: value["response"],
    allowedResponses: allowedOf(value["allowed_responses"]),
    answerHeaders: textsOf(value["resp_headers"]) ?? {},
  };
}

function liveQueryOf(value: unknown): LiveQuery | undefined {
  if (!isRecord(value) || typeof value["query"] !== "string" || !/^\s*subscription\b/.test(value["query"]))
    return undefined;
  const listOf = (variables: unknown) => (Array.isArray(variables) ? (variables as readonly unknown[]) : []);
  return {
    query: value["query"],
    representative: value["variables_representative"] ?? value["variables"],
    same: listOf(value["variables_same"]),
    different: listOf(value["variables_different"]),
  };
}

function readFile(file: string): unknown {
  return parse(indentQuoted(readFileSync(file, "utf8")), { maxAliasCount: 10_000 }) as unknown;
}

const opensQuoted = /^(?:\s|- )*[\w-]+:\s+"((?:[^"\\]|\\.)*)$/;
const closesQuoted = /^(?:[^"\\]|\\.)*"/;

/** Hasura's YAML parser accepts continuation lines of a quoted text that are indented as little as its key. */
function indentQuoted(text: string): string {
  let open = false;
  return text
    .split("\n")
    .map((line) => {
      if (open) {
        open = !closesQuoted.test(line);
        return `    ${line}`;
      }
      open = opensQuoted.test(line);
      return line;
    })
    .join("\n");
}

/** Cases whose answers are not those of Hasura's server, with their state in Hasura's own suite. */
const abandoned: Readonly<Record<string, string>> = {
  mutation_not_exposed_to_inherited_roles: "no test of Hasura's suite runs this case",
  insert_into_array_col_with_array_input:
    "Hasura's suite expects this case to fail: its answer has an object for a list",
};

function caseOf(file: string, content: unknown): Case {
  const name = basename(file, ".yaml");
  const reason = abandoned[name];
  if (reason !== undefined) return { name, steps: [], liveQuery: undefined, unusable: reason };
  const steps = (Array.isArray(content) ? (content as readonly unknown[]) : [content]).map(stepOf);
  const liveQuery = liveQueryOf(content);
  if (content === null || content === undefined) return { name, steps: [], liveQuery, unusable: "the file is empty" };
  if (!steps.includes(undefined))
    return { name, steps: steps as readonly Step[], liveQuery: undefined, unusable: undefined };
  if (liveQuery !== undefined) return { name, steps: [], liveQuery, unusable: undefined };
  return { name, steps: [], liveQuery, unusable: "contains no request with a url; code of Hasura's own suite runs it" };
}

/** Whether the file contains only API commands. */
function isHelper(content: unknown): boolean {
  const items: readonly unknown[] = Array.isArray(content) ? content : [content];
  return (
    items.length > 0 &&
    items.every((item) => isRecord(item) && item["url"] === undefined && commandsOf(item).length > 0)
  );
}

/** @returns the content, or the reason why the file cannot be read */
function tryFile(file: string): { readonly content: unknown; readonly problem: string | undefined } {
  try {
    return { content: readFile(file), problem: undefined };
  } catch (error) {
    return {
      content: undefined,
      problem: `${basename(file)} is not YAML: ${(error as Error).message.split("\n", 1)[0] ?? ""}`,
    };
  }
}

function readFolder(directory: string, root: string): Folder {
  const files = readdirSync(directory)
    .filter((name) => name.endsWith(".yaml"))
    .sort();
  const setups = setupFiles.filter((name) => files.includes(name)).map((name) => tryFile(join(directory, name)));
  const helpers: { name: string; commands: readonly Command[] }[] = [];
  const cases: Case[] = [];
  for (const name of files) {
    if (setupFiles.includes(name) || teardown.test(name)) continue;
    const skipped = (reason: string) =>
      cases.push({ name: basename(name, ".yaml"), steps: [], liveQuery: undefined, unusable: reason });
    if (otherDatabase.test(name)) {
      if (!/setup_/.test(name)) skipped("for another database");
      continue;
    }
    const { content, problem } = tryFile(join(directory, name));
    if (problem !== undefined) skipped(problem);
    else if (isHelper(content)) helpers.push({ name, commands: commandsOf(content) });
    else cases.push(caseOf(join(directory, name), content));
  }
  const unusable = setups.find(({ problem }) => problem !== undefined)?.problem;
  return {
    name: relative(root, directory) || ".",
    directory,
    setup: setups.flatMap(({ content }) => commandsOf(content)),
    unusable,
    helpers,
    cases,
  };
}

/** All folders of cases below a directory of Hasura's fixtures. */
export function readFixtures(root: string): readonly Folder[] {
  const directories = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".yaml"))
    .map((entry) => entry.parentPath);
  return [...new Set(directories)]
    .sort()
    .map((directory) => readFolder(directory, root))
    .filter(({ cases }) => cases.length > 0);
}
