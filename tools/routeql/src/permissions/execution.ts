import type { DeclaredPermission, DeclaredTable, Operation } from "../../../../engine/src/permissions/declared.ts";
import { operations } from "../../../../engine/src/permissions/operations.ts";
import { documentOf, fieldOf, isOrdered, rootOf } from "./documents.ts";
import type { Cell, Verdicts } from "./report.ts";
import type { Failure, Subject, Variables } from "./subject.ts";

/** A name that no table, column or relationship has. */
const unused = "no_such_name";

/** Where a document stands that uses a name. */
type Using = (name: string) => string;

const withoutName = ({ message, code, path }: Failure, name: string) => JSON.stringify([message, code, path]).replaceAll(new RegExp(`\\b${name}\\b`, "g"), "NAME");

/** Asks as a role by documents that need no row, so that they take no time on large tables. */
class Prober {
  readonly #subject: Subject;
  readonly #role: string;
  readonly #variables: Variables;
  readonly #verdicts: Verdicts;

  constructor(subject: Subject, role: string, variables: Variables, verdicts: Verdicts) {
    this.#subject = subject;
    this.#role = role;
    this.#variables = variables;
    this.#verdicts = verdicts;
  }

  async #ask(kind: "query" | "subscription", selection: string) {
    return this.#subject.ask(this.#role, this.#variables, documentOf(this.#subject.access, kind, selection));
  }

  async served(cell: Cell, kind: "query" | "subscription", selection: string, what: string): Promise<void> {
    const { failure } = await this.#ask(kind, selection);
    this.#verdicts.hold("execution", cell, failure === undefined, () => `${cell.role} is refused ${what}: ${failure?.message ?? ""}`);
  }

  /** The error must be the one that a name gets which nobody uses; otherwise it tells that the name exists. */
  async refused(cell: Cell, kind: "query" | "subscription", selection: Using, name: string, what: string): Promise<void> {
    const { failure } = await this.#ask(kind, selection(name));
    this.#verdicts.hold("execution", cell, failure !== undefined, () => `${cell.role} is served ${what}, which is not granted`);
    if (failure === undefined) return;
    const { failure: baseline } = await this.#ask(kind, selection(unused));
    const same = baseline !== undefined && withoutName(failure, name) === withoutName(baseline, unused);
    this.#verdicts.hold("error-texts", cell, same, () => `${cell.role} can tell that ${what} exists, by the error "${failure.message}"`);
  }
}

const none = "where: {_or: []}";

/** Documents of a root field that use a column, each in a place of its own. */
function uses(table: DeclaredTable, operation: Operation): readonly (readonly [where: string, using: Using])[] {
  const { field } = rootOf(table, operation);
  if (operation === "stream") {
    return [
      ["in where", (column) => `${field}(batch_size: 1, cursor: [], where: {${column}: {_is_null: true}}) { __typename }`],
      ["as cursor", (column) => `${field}(batch_size: 1, cursor: {initial_value: {${column}: null}}) { __typename }`],
    ];
  }
  if (operation.endsWith("by key")) return [];
  const aggregate = operation.endsWith("aggregate");
  const any = aggregate ? "nodes { __typename }" : "__typename";
  return [
    ["as a field", (column) => `${field}(limit: 1, ${none}) { ${aggregate ? `nodes { ${column} }` : column} }`],
    ["in where", (column) => `${field}(limit: 1, where: {_and: [{_or: []}, {${column}: {_is_null: false}}]}) { ${any} }`],
    ["deep in where", (column) => `${field}(limit: 1, where: {_not: {_or: [{_and: [{${column}: {_is_null: true}}]}]}, _or: []}) { ${any} }`],
    ["in order_by", (column) => `${field}(limit: 1, ${none}, order_by: {${column}: desc}) { ${any} }`],
    ["in distinct_on", (column) => `${field}(limit: 1, ${none}, distinct_on: [${column}]) { ${any} }`],
    ...(aggregate
      ? ([
          ["counted", (column: string) => `${field}(${none}) { aggregate { count(columns: [${column}]) } }`],
          ["as a maximum", (column: string) => `${field}(${none}) { aggregate { max { ${column} } } }`],
        ] as const)
      : []),
  ];
}

/** Naming conventions spell these arguments in their own way. */
function spelled(subject: Subject, using: Using): Using {
  const { naming } = subject.access;
  return (name) =>
    using(name)
      .replaceAll(/\b(order_by|distinct_on|batch_size|initial_value)(?=:)/g, (argument) => naming.field(argument))
      .replaceAll(/(?<=orderBy: \{\w+: )desc/g, naming.enumValue("desc"));
}

/** Asks for every root field, in every operation, for every column in every place: served as declared, refused otherwise. */
export async function verifyExecution(subject: Subject, role: string, variables: Variables, verdicts: Verdicts): Promise<void> {
  const prober = new Prober(subject, role, variables, verdicts);
  for (const table of subject.access.tables.values()) {
    const permission = subject.access.permission(role, table.key);
    for (const operation of operations) await verifyOperation(subject, prober, role, table, permission, operation);
    if (permission?.operations.has("query") === true) await verifyRelationships(subject, prober, role, table);
  }
  for (const called of subject.access.functions) {
    const target = subject.access.permission(role, called.target);
    if (target !== undefined && subject.access.mayCall(role, called)) continue;
    await prober.refused({ role, name: called.field }, "query", (name) => `${name} { __typename }`, called.field, `the function ${called.field}`);
  }
}

async function verifyOperation(subject: Subject, prober: Prober, role: string, table: DeclaredTable, permission: DeclaredPermission | undefined, operation: Operation): Promise<void> {
  const { kind, field } = rootOf(table, operation);
  const cell = { role, table: table.key };
  if (permission?.operations.has(operation) !== true) {
    await prober.refused(cell, kind, (name) => `${name} { __typename }`, field, `${field} (${operation})`);
    return;
  }
  for (const [where, plain] of uses(table, operation)) {
    const using = spelled(subject, plain);
    for (const column of table.fields.keys()) {
      const name = fieldOf(table, column);
      const ownCell = { ...cell, name: column };
      const what = `${field}.${name} ${where} (${operation})`;
      const needsOrder = where === "in order_by" || where === "in distinct_on" || where === "as a maximum" || where === "as cursor";
      if (!permission.columns.includes(column)) await prober.refused(ownCell, kind, using, name, what);
      else if (where === "as a maximum" || operation === "stream" || (needsOrder && !isOrdered(table.types.get(column)))) continue;
      else await prober.served(ownCell, kind, using(name), what);
    }
  }
}

async function verifyRelationships(subject: Subject, prober: Prober, role: string, table: DeclaredTable): Promise<void> {
  const root = table.roots.select;
  const orderBy = subject.access.naming.field("order_by");
  const direction = subject.access.naming.enumValue("asc");
  for (const { name, kind, target: key } of table.relationships) {
    const target = subject.access.tables.get(key);
    const permission = subject.access.permission(role, key);
    const cell = { role, table: table.key, name };
    if (permission === undefined || target === undefined) {
      await prober.refused(cell, "query", (relationship) => `${root}(limit: 1, ${none}) { ${relationship} { __typename } }`, name, `${root}.${name}`);
      await prober.refused(cell, "query", (relationship) => `${root}(limit: 1, where: {${relationship}: {}}) { __typename }`, name, `${root}.${name} in where`);
      await prober.refused(cell, "query", (relationship) => `${root}(limit: 1, ${none}, ${orderBy}: {${relationship}: {}}) { __typename }`, name, `${root}.${name} in order_by`);
      continue;
    }
    const ways: readonly (readonly [string, Using])[] = [
      ["through a relationship", (column) => `${root}(limit: 1, ${none}) { ${name} { ${column} } }`],
      ["through a relationship in where", (column) => `${root}(limit: 1, where: {_and: [{_or: []}, {${name}: {${column}: {_is_null: false}}}]}) { __typename }`],
      ...(kind === "object" ? ([["through a relationship in order_by", (column: string) => `${root}(limit: 1, ${none}, ${orderBy}: {${name}: {${column}: ${direction}}}) { __typename }`]] as const) : []),
    ];
    for (const [where, using] of ways) {
      for (const column of target.fields.keys()) {
        const field = fieldOf(target, column);
        const what = `${root}.${name}.${field} ${where}`;
        if (!permission.columns.includes(column)) await prober.refused(cell, "query", using, field, what);
        else if (!where.endsWith("order_by") || isOrdered(target.types.get(column))) await prober.served(cell, "query", using(field), what);
      }
    }
    if (kind !== "array" || permission.aggregates) continue;
    const aggregate = subject.access.naming.suffixed(name, "aggregate");
    await prober.refused(cell, "query", (field) => `${root}(limit: 1, ${none}) { ${field} { aggregate { count } } }`, aggregate, `${root}.${aggregate}`);
    await prober.refused(cell, "query", (field) => `${root}(limit: 1, ${none}, ${orderBy}: {${field}: {count: ${direction}}}) { __typename }`, aggregate, `${root}.${aggregate} in order_by`);
    await prober.refused(cell, "query", (field) => `${root}(limit: 1, where: {${field}: {count: {predicate: {_eq: 1}}}}) { __typename }`, aggregate, `${root}.${aggregate} in where`);
  }
}
