import { z } from "zod";
import { EngineError } from "../errors.ts";

/** One command of Hasura's metadata API, as far as it is served. */
export type MetadataRequest = { readonly resourceVersion: number | undefined } & (
  | { readonly type: "export_metadata"; readonly version: 1 | 2 }
  | { readonly type: "replace_metadata"; readonly version: 1 | 2; readonly metadata: Readonly<Record<string, unknown>>; readonly allowInconsistent: boolean }
  | { readonly type: "reload_metadata" | "get_inconsistent_metadata" | "drop_inconsistent_metadata" | "clear_metadata" }
  | { readonly type: "bulk" | "bulk_keep_going"; readonly requests: readonly unknown[] }
);

/** Every type that is served. */
export const metadataRequestTypes = [
  "export_metadata",
  "replace_metadata",
  "reload_metadata",
  "get_inconsistent_metadata",
  "drop_inconsistent_metadata",
  "clear_metadata",
  "bulk",
  "bulk_keep_going",
] as const;

const anything = z.record(z.string(), z.unknown());
const envelope = z.object({
  type: z.string(),
  version: z.union([z.literal(1), z.literal(2)]).optional(),
  resource_version: z.number().int().nonnegative().nullish(),
  args: z.unknown(),
});
const everything = z.union([z.boolean(), z.array(z.string())]).optional();
const reloadArguments = z.strictObject({
  reload_sources: everything,
  reload_remote_schemas: everything,
  recreate_event_triggers: everything,
  reload_data_connectors: everything,
});
const replaceArguments = z.strictObject({
  allow_inconsistent_metadata: z.boolean().default(false),
  /** Hasura warns of triggers with the same name and of unused sources; this engine has no warnings. */
  allow_warnings: z.boolean().optional(),
  metadata: anything,
});

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = (issue?.path ?? []).map((part) => (typeof part === "number" ? `[${String(part)}]` : `.${String(part)}`)).join("");
  throw new EngineError({ code: "parse-failed", path: `${path}${place}`, message: issue?.message ?? "this cannot be read" });
}

/**
 * @param path JSONPath of the request, `$` or that of an item of `bulk`
 * @throws EngineError `parse-failed`, or `not-supported` for a type that this engine does not serve
 */
export function parseMetadataRequest(value: unknown, path = "$"): MetadataRequest {
  const { type, version, resource_version: given, args } = parse(envelope, value, path);
  const resourceVersion = given ?? undefined;
  const at = `${path}.args`;
  switch (type) {
    case "export_metadata":
      return { type, version: version ?? 1, resourceVersion };
    case "replace_metadata":
      return { type, resourceVersion, ...parseReplacement(args, version, at) };
    case "reload_metadata":
      parse(reloadArguments, args ?? {}, at);
      return { type, resourceVersion };
    case "get_inconsistent_metadata":
    case "drop_inconsistent_metadata":
    case "clear_metadata":
      return { type, resourceVersion };
    case "bulk":
    case "bulk_keep_going":
      return { type, resourceVersion, requests: parse(z.array(z.unknown()), args, at) };
    default:
      throw new EngineError({
        code: "not-supported",
        path: `${path}.type`,
        message: `${JSON.stringify(type.slice(0, 64))} is not served by this engine, which serves ${metadataRequestTypes.join(", ")}`,
      });
  }
}

/** Without a version, arguments with the key `metadata` have the form of version 2, others are the metadata (version 1). */
function parseReplacement(args: unknown, version: 1 | 2 | undefined, path: string) {
  const given = parse(anything, args, path);
  if (version === 2 || "metadata" in given) {
    const { metadata, allow_inconsistent_metadata: allowInconsistent } = parse(replaceArguments, given, path);
    return { version: version ?? 2, metadata, allowInconsistent } as const;
  }
  return { version: 1, metadata: given, allowInconsistent: false } as const;
}
