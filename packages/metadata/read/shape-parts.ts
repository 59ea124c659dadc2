import { z } from "zod";

/** Why a value that Hasura accepts is refused. Allowed ones are removed with the objects whose meaning would change. */
export interface UnsupportedParameters {
  readonly unsupported: true;
  readonly levels: number;
}

export function unsupported(feature: string, levels = 0) {
  const params: UnsupportedParameters = { unsupported: true, levels };
  const message = `Hasura knows this, but this engine does not serve ${feature}`;
  return { code: "custom" as const, message, params: { ...params } };
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
    const message = `this has no effect here: ${reason}`;
    context.addIssue({ code: "custom", message, params: { withoutEffect: true } });
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
  insertion_order: z.enum(["before_parent", "after_parent"]).nullish(),
};

const toTable = z.strictObject({ remote_table: qualifiedName, ...mapping });
const toNativeQuery = z.strictObject({ remote_native_query: name, ...mapping });

export const nativeQueryMapping = z.union([toTable, toNativeQuery]);

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

const presets = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((set) => set ?? {});
const condition = z.record(z.string(), z.unknown());
const writing = { backend_only: z.boolean().default(false), validate_input: unserved("input validation", 2) };

export const insertPermission = permissionOf(
  z.strictObject({
    columns: z
      .union([z.literal("*"), z.array(z.string())])
      .nullish()
      .transform((columns) => columns ?? "*"),
    set: presets,
    check: condition,
    ...writing,
  }),
);

export const updatePermission = permissionOf(
  z.strictObject({
    columns: selectPermissionRights.columns,
    set: presets,
    filter: condition,
    check: condition.nullish(),
    ...writing,
  }),
);

export const deletePermission = permissionOf(z.strictObject({ filter: condition, ...writing }));

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

/** Whether a value is null, or a list or object with only such values. The Hasura CLI writes them for unused features. */
export function isDeepEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.values(value).every(isDeepEmpty);
}

const reference = z.strictObject({ logical_model: name, nullable: z.boolean().default(false) });

const arrays = z.unknown().transform((_value, context) => {
  context.addIssue(unsupported("lists in the rows of native queries, nor does Hasura for Postgres", 2));
  return z.NEVER;
});

const fieldType = z.union([
  z.strictObject({ scalar: z.string().min(1), nullable: z.boolean().default(false) }),
  reference,
  z.strictObject({ array: z.union([reference, arrays]), nullable: z.boolean().default(false) }),
]);

/** The older form has the name of the scalar type in `type`, and `nullable` beside it. */
const field = z.union([
  z
    .strictObject({
      name: z.string(),
      type: z.string().min(1),
      nullable: z.boolean().default(false),
      description: z.string().nullish(),
    })
    .transform(({ type: scalar, nullable, ...rest }) => ({ ...rest, type: { scalar, nullable } })),
  z.strictObject({ name: z.string(), type: fieldType, description: z.string().nullish() }),
]);

const model = { fields: z.array(field), select_permissions: z.array(modelPermission).default([]) };

export const logicalModel = z.strictObject({ name, description: z.string().nullish(), ...model });

const relationship = z.strictObject({ name, comment: z.string().nullish(), using: nativeQueryMapping });

export const nativeQuery = z.strictObject({
  root_field_name: name,
  code: z.string(),
  /** The name of a logical model, or an inline one. */
  returns: z.union([name, z.strictObject(model)]),
  arguments: z
    .record(
      name,
      z.strictObject({
        type: z.string().min(1),
        nullable: z.boolean().default(false),
        description: z.string().nullish(),
      }),
    )
    .default({}),
  description: z.string().nullish(),
  object_relationships: z.array(relationship).default([]),
  array_relationships: z.array(relationship).default([]),
});

export type LogicalModelMetadata = z.output<typeof logicalModel>;
export type NativeQueryMetadata = z.output<typeof nativeQuery>;
