/**
 * Parts of the shapes of several metadata objects.
 * @module
 */
import { z } from "zod";
import { isDeepEmpty } from "./deep-empty.ts";

/**
 * The reason why a value that Hasura accepts is refused. If such values are allowed, they are removed together with the objects
 * whose meaning would change.
 */
export interface UnsupportedParameters {
  readonly unsupported: true;
  readonly levels: number;
}

export function unsupported(feature: string, levels = 0) {
  const params: UnsupportedParameters = { unsupported: true, levels };
  return {
    code: "custom" as const,
    message: `Hasura knows this, but this engine does not serve ${feature}`,
    params: { ...params },
  };
}

/** A key that Hasura knows and this engine does not serve. Only an empty value is accepted. */
export function unserved(feature: string, levels = 0) {
  return z
    .unknown()
    .optional()
    .superRefine((value, context) => {
      if (!isDeepEmpty(value)) context.addIssue(unsupported(feature, levels));
    });
}

/** A valid key without effect here: accepted, and noted with the reason. */
export function withoutEffect<Schema extends z.ZodType>(
  schema: Schema,
  reason: string,
  isNoted: (value: z.output<Schema>) => boolean = () => true,
) {
  return schema.superRefine((value, context) => {
    if (value === null || value === undefined || !isNoted(value)) return;
    context.addIssue({
      code: "custom",
      message: `this has no effect here: ${reason}`,
      params: { withoutEffect: true },
    });
  });
}

export interface QualifiedName {
  readonly schema: string;
  readonly name: string;
}

export const qualifiedName = z.union([
  z.string().transform((name) => ({ schema: "public", name })),
  z.strictObject({ schema: z.string().default("public"), name: z.string() }),
]);

export const name = z.string().regex(/^[_A-Za-z][_0-9A-Za-z]*$/, "this is not a GraphQL name");

const mapping = {
  column_mapping: z.record(z.string(), z.string()),
  insertion_order: withoutEffect(z.enum(["before_parent", "after_parent"]).nullish(), "mutations are not served"),
};

const toTable = z.strictObject({ remote_table: qualifiedName, ...mapping });
const toNativeQuery = z.strictObject({ remote_native_query: name, ...mapping });

/** A relationship of a native query. */
export const nativeQueryMapping = z.union([toTable, toNativeQuery]);

/** The same for a table. */
export const manualConfiguration = z.union([
  toTable.extend({ source: unserved("relationships between sources", 3) }),
  toNativeQuery,
]);

const selectPermissionRights = {
  columns: z.union([z.literal("*"), z.array(z.string())]),
  filter: z.record(z.string(), z.unknown()),
  limit: z.number().int().nonnegative().nullish(),
  allow_aggregations: z.boolean().default(false),
  computed_fields: z.array(z.string()).default([]),
  query_root_fields: z.array(z.enum(["select", "select_by_pk", "select_aggregate"])).nullish(),
  subscription_root_fields: z.array(z.enum(["select", "select_by_pk", "select_aggregate", "select_stream"])).nullish(),
  validate_input: unserved("input validation"),
};

const permissionOf = <Rights extends z.ZodType>(permission: Rights) =>
  z.strictObject({ role: z.string().min(1), comment: z.string().nullish(), permission });

export const selectPermission = permissionOf(z.strictObject(selectPermissionRights));

const oneRootField = "a native query has one root field, for all roles with a permission on its logical model";

/** The select permission of a logical model, without aggregates and computed fields. */
export const modelPermission = permissionOf(
  z.strictObject({
    ...selectPermissionRights,
    allow_aggregations: withoutEffect(
      selectPermissionRights.allow_aggregations,
      "native queries have no aggregates",
      (allowed) => allowed,
    ),
    query_root_fields: withoutEffect(selectPermissionRights.query_root_fields, oneRootField),
    subscription_root_fields: withoutEffect(selectPermissionRights.subscription_root_fields, oneRootField),
  }),
);
