import { DirectiveLocation } from "graphql";
import { Spending } from "../../cost/limits.ts";
import { invalid } from "../../errors.ts";
import type { Operation } from "../document/document.ts";
import { hasContent, statementOf, type PlanOptions, type RootPlan } from "../plan/plan.ts";
import { isDefined, SelectReader } from "../plan/select.ts";
import { readDirectives, type SelectedField, SelectionReader } from "../document/selection.ts";
import type { Variables } from "../document/variables.ts";
import { outputMeta, sourceOf } from "../../schema/meta.ts";
import type { RoleSchema } from "../../schema/role-schema.ts";
import { WriteReader } from "./read.ts";
import type { Write } from "./write.ts";

export interface PlannedWrite {
  readonly source: string;
  readonly write: Write;
}

export interface MutationPlan {
  readonly roots: readonly RootPlan[];
  /** In the order of the document. */
  readonly writes: readonly PlannedWrite[];
  /** Cost so far; the statements are printed when they run. */
  readonly spending: Spending;
}

/** @throws EngineError, also for a role that can change nothing */
export function planMutation(
  { mutation: type }: RoleSchema,
  operation: Operation,
  variables: Variables,
  options: PlanOptions,
): MutationPlan {
  if (type === undefined) throw invalid("no mutations exist");
  const { selectionSet, directives = [] } = operation.definition;
  const spending = new Spending(options);
  const selection = new SelectionReader(operation, variables, options, spending);
  const select = new SelectReader(selection, options, spending);
  const reader = new WriteReader(select);
  const writes: PlannedWrite[] = [];
  const root = (field: SelectedField, typeName: string, depth: number): RootPlan => {
    const { key } = field;
    if (!isDefined(field)) return { kind: "fixed", key, text: JSON.stringify(typeName) };
    const meta = outputMeta(field.definition);
    if (meta.kind === "namespace" && field.objectType !== undefined) {
      const { name } = field.objectType;
      const below = selection.fields(field.objectType, field.selectionSets, field.path, depth);
      return { kind: "namespace", key, fields: below.map((child) => root(child, name, depth + 1)).toArray() };
    }
    const source = sourceOf(field.definition);
    const write: Write =
      "target" in meta && isChange(meta.kind)
        ? reader.write(field, meta as Parameters<WriteReader["write"]>[1], depth)
        : { kind: "function", statement: statementOf(select.root(field, depth), source, spending) };
    writes.push({ source, write });
    return { kind: "write", key };
  };
  const roots = selection
    .fields(type, [selectionSet], "$", 1)
    .map((field) => root(field, type.name, 2))
    .filter(hasContent)
    .toArray();
  readDirectives(directives, DirectiveLocation.MUTATION, "$", selection.inputs);
  return { roots, writes, spending };
}

const isChange = (kind: string): boolean => /^(?:insert|update|delete)/.test(kind);
