/**
 * The published schema of Hasura metadata, for tests that compare the shape of the engine with it. The file is not part of the
 * project. Without it, the tests are skipped.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Ajv, type ValidateFunction } from "ajv";
import fc, { type Arbitrary } from "fast-check";

const file = fileURLToPath(new URL("../../../../shared/schemas/hasura-v2-metadata.openapi.json.gz", import.meta.url));

/** The reason to skip the tests; undefined if they run. */
export const schemaIsAbsent = existsSync(file)
  ? undefined
  : "../shared/schemas/hasura-v2-metadata.openapi.json.gz is absent";

/** A JSON schema, as far as the file uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly nullable?: boolean;
  readonly minimum?: number;
}

type Definitions = Record<string, Schema>;

/**
 * Differences between the file and the server (reference: tests and documentation of Hasura):
 * a source's kind may be missing, the roles without introspection are in an object, and the parts of an address are not in
 * another object; types of logical models' fields, and the logical model that a native query has for itself, are not described.
 */
const text: Schema = { type: "string" };
const nullable: Schema = { type: "boolean" };
const modelReference: Schema = {
  type: "object",
  properties: { logical_model: text, nullable },
  required: ["logical_model"],
};
const modelFields: Schema = { type: "array", items: { $ref: "#/components/schemas/PostgresLogicalModelField" } };
const modelPermissions: Schema = { type: "array", items: { $ref: "#/components/schemas/PostgresSelectPermDef" } };

const corrections: Definitions = {
  PostgresLogicalModelField: {
    anyOf: [
      {
        type: "object",
        properties: { name: text, type: text, nullable, description: text },
        required: ["name", "type"],
      },
      {
        type: "object",
        properties: {
          name: text,
          type: {
            anyOf: [
              { type: "object", properties: { scalar: text, nullable }, required: ["scalar"] },
              modelReference,
              { type: "object", properties: { array: modelReference, nullable }, required: ["array"] },
            ],
          },
          description: text,
        },
        required: ["name", "type"],
      },
    ],
  },
  LogicalModelIdentifier: {
    anyOf: [
      text,
      {
        type: "object",
        properties: { fields: modelFields, select_permissions: modelPermissions },
        required: ["fields"],
      },
    ],
  },
  SourceMetadata: { oneOf: [{ $ref: "#/components/schemas/PostgresSourceMetadata" }] },
  UrlConfFromParams: {
    type: "object",
    properties: { connection_parameters: { $ref: "#/components/schemas/PGConnectionParams" } },
    required: ["connection_parameters"],
  },
};

function corrected(): Definitions {
  const published = gunzipSync(readFileSync(file)).toString("utf8");
  const { components } = JSON.parse(published) as { components: { schemas: Definitions } };
  const definitions = { ...components.schemas, ...corrections };
  const { MetadataV3: metadata, PostgresSourceMetadata: source, PostgresNativeQueryMetadata: query } = definitions;
  if (metadata === undefined || source === undefined || query === undefined)
    throw new Error("the published schema has another form than expected");
  const introspection: Schema = {
    type: "object",
    properties: { disabled_for_roles: { type: "array", items: { type: "string" } } },
  };
  definitions["MetadataV3"] = {
    ...metadata,
    properties: { ...metadata.properties, graphql_schema_introspection: introspection },
  };
  definitions["PostgresSourceMetadata"] = {
    ...source,
    required: (source.required ?? []).filter((key) => key !== "kind"),
  };
  definitions["PostgresNativeQueryMetadata"] = {
    ...query,
    properties: { ...query.properties, returns: { $ref: "#/components/schemas/LogicalModelIdentifier" } },
  };
  return definitions;
}

export class PublishedSchema {
  readonly #definitions: Definitions = corrected();

  get root(): Schema {
    return this.follow({ $ref: "#/components/schemas/MetadataV3" });
  }

  /** The target of a reference. */
  follow(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const name = schema.$ref.split("/").at(-1) ?? "";
    const found = this.#definitions[name];
    if (found === undefined) throw new Error(`there is no ${name}`);
    return this.follow(found);
  }

  /** Validates documents with the file, and finds unknown keys. */
  validator(): ValidateFunction {
    const closed = Object.fromEntries(Object.entries(this.#definitions).map(([name, schema]) => [name, close(schema)]));
    const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
    ajv.addSchema({ components: { schemas: closed } }, "published");
    return ajv.compile({ $ref: "published#/components/schemas/MetadataV3" });
  }

  /** Valid documents of the schema. `depth` limits the nesting of optional parts. */
  arbitrary(schema: Schema, depth = 7): Arbitrary<unknown> {
    const own = this.follow(schema);
    const choices = own.oneOf ?? own.anyOf;
    if (choices !== undefined) return fc.oneof(...choices.map((choice) => this.arbitrary(choice, depth)));
    if (own.enum !== undefined) return fc.constantFrom(...own.enum);
    switch (own.type) {
      case "object":
        return this.#object(own, depth);
      case "array":
        return fc.array(this.arbitrary(own.items ?? {}, depth - 1), {
          minLength: depth > -4 ? 1 : 0,
          maxLength: depth > 0 ? 2 : 1,
        });
      case "boolean":
        return fc.boolean();
      case "number":
        return fc.integer({ min: 1, max: 100 });
      case "string":
        return name;
      case "null":
        return fc.constant(null);
      default:
        return fc.constant({});
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): Arbitrary<unknown> {
    const entries = Object.entries(properties).filter(([key]) => depth > 0 || required.includes(key));
    const parts = Object.fromEntries(entries.map(([key, schema]) => [key, this.arbitrary(schema, depth - 1)]));
    const record = fc.record(parts, { requiredKeys: required.filter((key) => key in parts) });
    if (typeof additionalProperties !== "object" || depth <= 0) return record;
    return fc.dictionary(name, this.arbitrary(additionalProperties, depth - 1), { minKeys: 1, maxKeys: 2 });
  }
}

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,6}$/);

/** The same schema without additional keys. */
function close(schema: Schema): Schema {
  if (schema.nullable === true) {
    const { nullable: _, ...rest } = schema;
    return { anyOf: [close(rest), { type: "null" }] };
  }
  const { properties, items, oneOf, anyOf, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(items === undefined ? {} : { items: close(items) }),
    ...(oneOf === undefined ? {} : { anyOf: oneOf.map(close) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(close) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, close(value)])),
          additionalProperties: false,
        }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "object" ? close(additionalProperties) : additionalProperties,
        }),
  };
}
