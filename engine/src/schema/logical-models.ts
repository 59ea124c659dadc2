import type { Catalog } from "@routeql/metadata/catalog/catalog";
import { typeOf } from "@routeql/metadata/catalog/named-types";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { LogicalModelMetadata } from "@routeql/metadata/read/native-shape";
import type { LogicalModel, TableColumn } from "./model.ts";
import { graphqlName } from "@routeql/metadata/names/naming";
import { failing, type Fail, type Report } from "./report.ts";

/**
 * @param key name of the model in errors
 * @param models names of models that fields may refer to
 * @returns undefined when the model is invalid, which is reported
 */
export function resolveModel(metadata: LogicalModelMetadata, key: string, path: MergedPath, models: ReadonlySet<string>, catalog: Catalog, report: Report): LogicalModel | undefined {
  const columns = new Map<string, TableColumn>();
  const references = new Set<string>();
  let sound = true;
  for (const [index, { name, type, description }] of metadata.fields.entries()) {
    const failed = failing(report, [...path, "fields", index], "logical_model", metadata.name);
    const fail: Fail = (reason) => {
      sound = false;
      return failed(reason);
    };
    if (columns.has(name) || references.has(name)) fail(`the field ${name} occurs twice`);
    else if (!graphqlName.test(name) || name.startsWith("__")) fail(`"${name}" is not a GraphQL name`);
    else if ("scalar" in type) {
      const found = typeOf(type.scalar, catalog, fail);
      if (found !== undefined) columns.set(name, { name, graphqlName: name, type: found, nullable: type.nullable, description: description ?? undefined, enumeration: undefined });
    } else {
      const { logical_model: to } = "array" in type ? type.array : type;
      if (models.has(to)) references.add(name);
      else fail(`there is no logical model ${to}`);
    }
  }
  if (!sound) return undefined;
  const { name, description, select_permissions: permissions } = metadata;
  return { key, name, description: description ?? undefined, path, columns, relationships: new Map(), computedFields: new Map(), permissions, references };
}
