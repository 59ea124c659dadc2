import type { GraphQLField } from "graphql";
import { SchemaMetaFieldDef, TypeMetaFieldDef } from "graphql";
import { EngineError } from "../errors.ts";
import { outputMeta, sourceOf } from "../schema/meta.ts";
import type { RoleSchema } from "../schema/role-schema.ts";
import type { Parameter } from "../sql/expression.ts";
import { SelectPrinter, type OutputValue } from "../sql/select.ts";
import type { Operation } from "./document.ts";
import { introspect } from "./introspection.ts";
import { invalid } from "./invalid.ts";
import { isDefined, SelectReader, type DefinedField, type SelectOptions } from "./select.ts";
import { SelectionReader, type SelectedField, type SelectionLimits } from "./selection.ts";
import { planStream, type StreamPlan } from "./stream.ts";
import type { Variables } from "./variables.ts";

/** One SQL statement; `template` still needs `finalText`. */
export interface Statement {
  readonly source: string;
  readonly template: string;
  readonly parameters: readonly Parameter[];
}

export interface QueryStatement extends Statement {
  /** Whether it calls functions of the metadata, which may do more than to read. */
  readonly callsFunctions: boolean;
}

export type RootPlan =
  | { readonly kind: "fixed"; readonly key: string; readonly text: string }
  | { readonly kind: "statement"; readonly key: string; readonly statement: QueryStatement }
  | { readonly kind: "namespace"; readonly key: string; readonly fields: readonly RootPlan[] };

export interface PlanOptions extends SelectionLimits, SelectOptions {
  readonly introspection: boolean;
  readonly role: string;
}

const metaFields: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map([
  ["__schema", SchemaMetaFieldDef],
  ["__type", TypeMetaFieldDef],
]);

function statementOf(value: OutputValue, source: string): QueryStatement {
  const printer = new SelectPrinter();
  const template = printer.statement(value);
  return { source, template, parameters: printer.parameters, callsFunctions: printer.callsFunctions };
}

class QueryPlanner {
  readonly #schema: RoleSchema;
  readonly #options: PlanOptions;
  readonly #selection: SelectionReader;
  readonly #select: SelectReader;

  constructor(schema: RoleSchema, operation: Operation, variables: Variables, options: PlanOptions) {
    this.#schema = schema;
    this.#options = options;
    this.#selection = new SelectionReader(operation, variables, options);
    this.#select = new SelectReader(this.#selection, options);
  }

  query(operation: Operation): readonly RootPlan[] {
    const fields = this.#selection.fields(this.#schema.query, [operation.definition.selectionSet], "$", 1, metaFields);
    return fields.map((field) => this.#root(field, this.#schema.query.name, 2));
  }

  #root(field: SelectedField, typeName: string, depth: number): RootPlan {
    const { key } = field;
    if (!isDefined(field)) return { kind: "fixed", key, text: JSON.stringify(typeName) };
    if (metaFields.get(field.name) === field.definition) return { kind: "fixed", key, text: this.#introspection(field) };
    const meta = outputMeta(field.definition);
    if (meta.kind === "constant") return { kind: "fixed", key, text: JSON.stringify(meta.text) };
    if (meta.kind === "namespace") {
      const type = field.objectType;
      if (type === undefined) throw invalid(`missing selection set for '${field.name}'`, field.path);
      const fields = this.#selection.fields(type, field.selectionSets, field.path, depth);
      return { kind: "namespace", key, fields: fields.map((child) => this.#root(child, type.name, depth + 1)) };
    }
    return { kind: "statement", key, statement: statementOf(this.#select.root(field, depth), sourceOf(field.definition)) };
  }

  #introspection(field: DefinedField): string {
    if (!this.#options.introspection) {
      throw new EngineError({ code: "not-supported", message: `introspection is disabled for role: "${this.#options.role}"` });
    }
    return introspect(field, this.#schema.schema, this.#selection);
  }

  subscription(operation: Operation): SubscriptionPlan {
    const type = this.#schema.subscription;
    if (type === undefined) throw invalid("no subscriptions exist");
    const selected = this.#selection.fields(type, [operation.definition.selectionSet], "$", 1);
    if (selected.length !== 1 && !(operation.multipleRootFields && selected.length > 0)) throw invalid("subscriptions must select one top level field");
    const namespace = selected.find((field) => isDefined(field) && outputMeta(field.definition).kind === "namespace");
    if (namespace === undefined || !isDefined(namespace)) return this.#live(selected, undefined);
    if (selected.length > 1) throw invalid("subscriptions must select one top level field");
    return this.#namespaced(namespace);
  }

  #namespaced(field: DefinedField): SubscriptionPlan {
    const type = field.objectType;
    if (type === undefined) throw invalid(`missing selection set for '${field.name}'`, field.path);
    // One top level field is one, however many stand in it.
    return this.#live(this.#selection.fields(type, field.selectionSets, field.path, 2), field.key);
  }

  #live(selected: readonly SelectedField[], namespace: string | undefined): SubscriptionPlan {
    const fields = selected.map((field) => {
      if (!isDefined(field)) throw invalid("a subscription cannot consist of __typename", field.path);
      return field;
    });
    const [first] = fields;
    if (first === undefined) throw invalid("subscriptions must select one top level field");
    const source = sourceOf(first.definition);
    const common = { namespace, keys: fields.map(({ key }) => key) };
    const meta = outputMeta(first.definition);
    if (meta.kind === "select-stream") {
      if (fields.length > 1) throw invalid("a streaming subscription must select one top level field");
      const stream = planStream(first, meta.target, this.#select, namespace === undefined ? 2 : 3);
      return { ...common, kind: "stream", statement: { source, template: stream.template, parameters: stream.parameters }, cursor: stream.cursor, cursorName: stream.cursorName };
    }
    if (fields.some((field) => sourceOf(field.definition) !== source)) throw invalid("a subscription must read from one source");
    const printer = new SelectPrinter();
    const values = fields.map((field) => this.#select.root(field, namespace === undefined ? 2 : 3));
    return { ...common, kind: "live", statement: { source, template: printer.columns(values), parameters: printer.parameters }, cursor: undefined, cursorName: undefined };
  }
}

export interface SubscriptionPlan {
  readonly kind: "live" | "stream";
  readonly namespace: string | undefined;
  readonly keys: readonly string[];
  readonly statement: Statement;
  readonly cursor: StreamPlan["cursor"] | undefined;
  readonly cursorName: StreamPlan["cursorName"] | undefined;
}

export function planQuery(schema: RoleSchema, operation: Operation, variables: Variables, options: PlanOptions): readonly RootPlan[] {
  return new QueryPlanner(schema, operation, variables, options).query(operation);
}

export function planSubscription(schema: RoleSchema, operation: Operation, variables: Variables, options: PlanOptions): SubscriptionPlan {
  return new QueryPlanner(schema, operation, variables, options).subscription(operation);
}
