/**
 * The shape of native queries and of the logical models of their rows.
 * @module
 */
import { z } from "zod";
import { modelPermission, name, nativeQueryMapping, unsupported } from "./shape-parts.ts";

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
