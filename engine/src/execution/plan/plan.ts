import { DirectiveLocation, type GraphQLField } from "graphql";
import { type CostLimits, Spending } from "../../cost/limits.ts";
import { EngineError, invalid } from "../../errors.ts";
import { multipleRootFields } from "../../schema/types.ts";
import { outputMeta, sourceOf } from "../../schema/meta.ts";
import type { RoleSchema } from "../../schema/role-schema.ts";
import type { Parameter } from "../../sql/expression.ts";
import type { Reads } from "../../sql/print.ts";
import { SelectPrinter, type OutputValue } from "../../sql/select.ts";
import type { Sql } from "../../sql/sql.ts";
import { readDirectives, type SelectedField, type SelectionLimits, SelectionReader } from "../document/selection.ts";
import type { Operation } from "../document/document.ts";
import { schemaField, typeField } from "../document/introspection-types.ts";
import { introspect } from "../document/introspection.ts";
import { isDefined, SelectReader, type DefinedField, type SelectOptions } from "./select.ts";
import { planStream, type StreamPlan } from "./stream.ts";
import type { Variables } from "../document/variables.ts";

/** One SQL statement; `template` still needs `finalText`. */
export interface Statement {
  readonly source: string;
  readonly template: Sql;
  readonly parameters: readonly Parameter[];
}

export interface QueryStatement extends Statement {
  /** Whether it calls functions of the metadata, which may do more than read. */
  readonly callsFunctions: boolean;
}

export type RootPlan =
  | { readonly kind: "fixed"; readonly key: string; readonly text: string }
  | { readonly kind: "statement"; readonly key: string; readonly statement: QueryStatement }
  /** The reply of a change. */
  | { readonly kind: "write"; readonly key: string }
  | { readonly kind: "namespace"; readonly key: string; readonly fields: readonly RootPlan[] };

export interface PlanOptions extends SelectionLimits, SelectOptions, CostLimits {
  readonly introspection: boolean;
  readonly role: string;
}

const metaFields: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map([
  ["__schema", schemaField],
  ["__type", typeField],
]);

export function statementOf(value: OutputValue, source: string, spending: Spending): QueryStatement {
  const printer = new SelectPrinter(spending);
  const template = printer.statement(value);
  return { source, template, parameters: printer.parameters, callsFunctions: printer.callsFunctions };
}

/** As in Hasura, a namespace without selected fields is not in the reply. */
export const hasContent = (root: RootPlan): boolean => root.kind !== "namespace" || root.fields.length > 0;

/** Plans one query or subscription. @throws EngineError */
export class QueryPlanner {
  readonly #schema: RoleSchema;
  readonly #operation: Operation;
  readonly #options: PlanOptions;
  readonly #selection: SelectionReader;
  readonly #select: SelectReader;

  constructor(schema: RoleSchema, operation: Operation, variables: Variables, options: PlanOptions) {
    this.#schema = schema;
    this.#operation = operation;
    this.#options = options;
    const spending = new Spending(options);
    this.#selection = new SelectionReader(operation, variables, options, spending);
    this.#select = new SelectReader(this.#selection, options, spending);
  }

  query(): readonly RootPlan[] {
    const { selectionSet, directives = [] } = this.#operation.definition;
    const fields = this.#selection.fields(this.#schema.query, [selectionSet], "$", 1, metaFields);
    const roots = fields
      .map((field) => this.#root(field, this.#schema.query.name, 2))
      .filter(hasContent)
      .toArray();
    const cached = readDirectives(directives, DirectiveLocation.QUERY, "$", this.#selection.inputs).get("cached");
    const [lifetime, refresh] = [cached?.get("ttl"), cached?.get("refresh")];
    if (lifetime !== undefined) this.#selection.inputs.integer(lifetime);
    if (refresh !== undefined) this.#selection.inputs.boolean(refresh);
    return roots;
  }

  #root(field: SelectedField, typeName: string, depth: number): RootPlan {
    const { key } = field;
    if (!isDefined(field)) return { kind: "fixed", key, text: JSON.stringify(typeName) };
    if (metaFields.get(field.name) === field.definition)
      return { kind: "fixed", key, text: this.#introspection(field) };
    const meta = outputMeta(field.definition);
    if (meta.kind === "constant") return { kind: "fixed", key, text: JSON.stringify(meta.text) };
    if (meta.kind === "namespace") {
      const type = field.objectType;
      if (type === undefined) throw invalid(`missing selection set for '${field.name}'`, field.path);
      const fields = this.#selection.fields(type, field.selectionSets, field.path, depth);
      return {
        kind: "namespace",
        key,
        fields: fields.map((child) => this.#root(child, type.name, depth + 1)).toArray(),
      };
    }
    const statement = statementOf(this.#select.root(field, depth), sourceOf(field.definition), this.#select.spending);
    return { kind: "statement", key, statement };
  }

  #introspection(field: DefinedField): string {
    if (!this.#options.introspection) {
      throw new EngineError({
        code: "not-supported",
        message: `introspection is disabled for role: "${this.#options.role}"`,
      });
    }
    return introspect(field, this.#schema.schema, this.#selection, this.#options.maxIntrospection);
  }

  /** The selection of a subscription, with its errors in Hasura's order: fields, directives, their number, allowed combinations. */
  subscription(): SubscriptionPlan {
    const type = this.#schema.subscription;
    if (type === undefined) throw invalid("no subscriptions exist");
    const { selectionSet, directives = [] } = this.#operation.definition;
    const roots = this.#selection
      .fields(type, [selectionSet], "$", 1)
      .flatMap((field) => this.#liveRoots(field, type.name, undefined, 2))
      .toArray();
    const given = readDirectives(directives, DirectiveLocation.SUBSCRIPTION, "$", this.#selection.inputs);
    const [first] = roots;
    const many = given.has(multipleRootFields.name) && roots.every(({ namespace }) => namespace === first?.namespace);
    // One selection counts as one field, also a fragment or a namespace with several.
    if (first === undefined || (selectionSet.selections.length > 1 && !many))
      throw invalid("subscriptions must select one top level field");
    if (roots.some(({ namespace, source }) => namespace === undefined && source === undefined)) {
      throw unsupported("Introspection at root field level is not supported over subscriptions");
    }
    return planLive(first.namespace, roots, this.#select.spending);
  }

  #liveRoots(
    field: SelectedField,
    typeName: string,
    namespace: string | undefined,
    depth: number,
  ): readonly LiveRoot[] {
    const { key } = field;
    if (!isDefined(field))
      return [{ key, namespace, source: undefined, value: { kind: "constant", text: JSON.stringify(typeName) } }];
    const meta = outputMeta(field.definition);
    if (meta.kind === "namespace" && field.objectType !== undefined) {
      const { name } = field.objectType;
      return this.#selection
        .fields(field.objectType, field.selectionSets, field.path, depth)
        .flatMap((child) => this.#liveRoots(child, name, key, depth + 1))
        .toArray();
    }
    const source = sourceOf(field.definition);
    if (meta.kind === "select-stream")
      return [{ key, namespace, source, stream: planStream(field, meta.target, this.#select, depth) }];
    return [{ key, namespace, source, value: this.#select.root(field, depth) }];
  }
}

function unsupported(message: string): EngineError {
  return new EngineError({ code: "not-supported", message });
}

/** A root field of a subscription; without a source it is `__typename` in a namespace. */
type LiveRoot = { readonly key: string; readonly namespace: string | undefined } & (
  | { readonly source: string; readonly stream: StreamPlan }
  | { readonly source: string | undefined; readonly value: OutputValue }
);

function planLive(namespace: string | undefined, roots: readonly LiveRoot[], spending: Spending): SubscriptionPlan {
  const values = roots.flatMap((root) => ("value" in root ? [root.value] : []));
  const [streaming, ...others] = roots.flatMap((root) => ("stream" in root ? [root] : []));
  const common = { namespace, keys: roots.map(({ key }) => key) };
  if (streaming !== undefined) {
    if (values.length > 0)
      throw unsupported("streaming and livequery subscriptions cannot be executed in the same subscription");
    if (others.length > 0) throw unsupported("exactly one root field is allowed for streaming subscriptions");
    const {
      source,
      stream: { template, parameters, cursor, cursorName, reads },
    } = streaming;
    return { ...common, kind: "stream", statement: { source, template, parameters }, cursor, cursorName, reads };
  }
  const [source, ...more] = new Set(roots.flatMap((root) => root.source ?? []));
  if (source === undefined) throw unsupported("Introspection at root field level is not supported over subscriptions");
  if (more.length > 0) throw unsupported("all fields of a subscription must be from the same source");
  const printer = new SelectPrinter(spending);
  const statement = { source, template: printer.columns(values), parameters: printer.parameters };
  const { reads } = printer;
  return { ...common, kind: "live", statement, cursor: undefined, cursorName: undefined, reads };
}

export interface SubscriptionPlan {
  readonly kind: "live" | "stream";
  readonly namespace: string | undefined;
  readonly keys: readonly string[];
  readonly statement: Statement;
  readonly cursor: StreamPlan["cursor"] | undefined;
  readonly cursorName: StreamPlan["cursorName"] | undefined;
  readonly reads: Reads;
}
