import { z } from "zod";
import { EngineError } from "../errors.ts";
import { notServed } from "./not-served.ts";

export type MetadataRequest = { readonly resourceVersion: number | undefined } & (
  | { readonly type: "export_metadata"; readonly version: 1 | 2 }
  | {
      readonly type: "replace_metadata";
      readonly version: 1 | 2;
      readonly metadata: Readonly<Record<string, unknown>>;
      readonly allowInconsistent: boolean;
    }
  | { readonly type: "reload_metadata" | "get_inconsistent_metadata" | "drop_inconsistent_metadata" | "clear_metadata" }
  | { readonly type: "bulk" | "bulk_keep_going"; readonly requests: readonly MetadataRequest[] }
  | { readonly type: "get_catalog_state" }
  | { readonly type: "set_catalog_state"; readonly tool: "cli" | "console"; readonly state: unknown }
  /** A command of Hasura that is not supported here: in a list it fails when its turn comes. */
  | { readonly type: "refused"; readonly error: EngineError }
);

const anything = z.record(z.string(), z.unknown());
const envelope = z.object({
  type: z.string(),
  version: z.union([z.literal(1), z.literal(2)]).optional(),
  resource_version: z.number().int().nonnegative().nullish(),
  args: z.unknown(),
});
const everything = z.union([z.boolean(), z.array(z.string())]).optional();
/** Other keys are ignored, as by Hasura. */
const reloadArguments = z.object({
  reload_sources: everything,
  reload_remote_schemas: everything,
  recreate_event_triggers: everything,
  reload_data_connectors: everything,
});
const replaceArguments = z.strictObject({
  allow_inconsistent_metadata: z.boolean().default(false),
  /** Hasura warns about triggers with the same name and unused sources; this engine has no warnings. */
  allow_warnings: z.boolean().optional(),
  metadata: anything,
});

const toolStateArguments = z.strictObject({
  type: z.enum(["cli", "console"]),
  state: z.record(z.string(), z.unknown()),
});

/** @param path JSONPath of the request, `$` or an item of `bulk` @throws EngineError `parse-failed`, also for one invalid item */
export function parseMetadataRequest(value: unknown, path = "$"): MetadataRequest {
  const { type, version, resource_version: given, args } = parseArguments(envelope, value, path);
  const resourceVersion = given ?? undefined;
  const at = `${path}.args`;
  switch (type) {
    case "export_metadata":
      return { type, version: version ?? 1, resourceVersion };
    case "replace_metadata":
      return { type, resourceVersion, ...parseReplacement(args, version, at) };
    case "reload_metadata":
      parseArguments(reloadArguments, args ?? {}, at);
      return { type, resourceVersion };
    case "get_inconsistent_metadata":
    case "drop_inconsistent_metadata":
    case "clear_metadata":
      return { type, resourceVersion };
    case "get_catalog_state":
      return { type, resourceVersion };
    case "set_catalog_state": {
      const { type: tool, state } = parseArguments(toolStateArguments, args, at);
      return { type, resourceVersion, tool, state };
    }
    case "bulk":
    case "bulk_keep_going":
      return {
        type,
        resourceVersion,
        requests: parseArguments(z.array(z.unknown()), args, at).map((item, index) =>
          parseMetadataRequest(item, `${at}[${String(index)}]`),
        ),
      };
    default:
      return { resourceVersion, type: "refused", error: unsupported(type, path) };
  }
}

/** @throws EngineError for a name that Hasura does not know */
function unsupported(type: string, path: string): EngineError {
  const [kind = "", ...rest] = type.split("_");
  const name = rest.join("_");
  const isPostgres = kind === "pg" || kind === "postgres";
  const reason = notServed(isPostgres ? name : type, isPostgres);
  if (reason !== undefined) {
    const message = `${type.slice(0, 64)} is no command of this engine: ${reason}`;
    return new EngineError({ code: "not-supported", path: `${path}.type`, message });
  }
  const message = isPostgres
    ? `unknown metadata command "${name.slice(0, 64)}" for backend postgres`
    : `unknown metadata command "${type.slice(0, 64)}"; "${kind.slice(0, 64)}" was not recognized as a valid backend name`;
  throw new EngineError({ code: "parse-failed", path, message });
}

/** Without a version, arguments with the key `metadata` have the form of version 2; others are the metadata itself (version 1). */
function parseReplacement(args: unknown, version: 1 | 2 | undefined, path: string) {
  const given = parseArguments(anything, args, path);
  if (version === 2 || "metadata" in given) {
    const { metadata, allow_inconsistent_metadata: allowInconsistent } = parseArguments(replaceArguments, given, path);
    return { version: version ?? 2, metadata, allowInconsistent } as const;
  }
  return { version: 1, metadata: given, allowInconsistent: false } as const;
}

/** @throws EngineError `parse-failed` with the path of the first invalid value */
function parseArguments<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const parts = issue?.path ?? [];
  // As in Hasura, a missing key is an error of the object.
  const missing = issue?.message.endsWith("received undefined") ? parts.at(-1) : undefined;
  const place = (missing === undefined ? parts : parts.slice(0, -1))
    .map((part) => (typeof part === "number" ? `[${String(part)}]` : `.${String(part)}`))
    .join("");
  const message =
    missing === undefined ? (issue?.message ?? "this cannot be read") : `key "${String(missing)}" not found`;
  throw new EngineError({ code: "parse-failed", path: `${path}${place}`, message });
}
