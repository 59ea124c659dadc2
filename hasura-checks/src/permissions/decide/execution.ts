import pMap from "p-map";
import type { DeclaredPermission, DeclaredTable, Operation } from "../../declared/declared.ts";
import { operations } from "../../declared/permission.ts";
import { documentOf, fieldOf, isOrdered, literal, rootOf } from "../observe/documents.ts";
import { isLikeUnknown, unused } from "./error-texts.ts";
import type { Cell, Verdicts } from "../report/report.ts";
import type { Failure, Variables } from "../observe/served.ts";
import { placeholder } from "../observe/sessions.ts";
import type { Subject } from "../observe/subject.ts";

/** A selection that uses names. */
type Using = (names: readonly string[]) => string;

/** Sends documents that select no rows, so that they are fast on large tables. */
class Prober {
  readonly #subject: Subject;
  readonly #role: string;
  readonly #variables: Variables;
  readonly #verdicts: Verdicts;
  readonly #baselines = new Map<string, Failure | undefined>();

  constructor(subject: Subject, role: string, variables: Variables, verdicts: Verdicts) {
    this.#subject = subject;
    this.#role = role;
    this.#variables = variables;
    this.#verdicts = verdicts;
  }

  async #ask(kind: "query" | "subscription", selection: string) {
    return this.#subject.ask(this.#role, this.#variables, documentOf(this.#subject.access, kind, selection));
  }

  /** The failure of the document with an unused name, shared by many names. */
  async #baseline(kind: "query" | "subscription", selection: string): Promise<Failure | undefined> {
    const key = `${kind} ${selection}`;
    if (!this.#baselines.has(key)) this.#baselines.set(key, (await this.#ask(kind, selection)).failure);
    return this.#baselines.get(key);
  }

  /** Checks that names are served: all at once, and one by one only if that fails. */
  async served(
    cell: Cell,
    kind: "query" | "subscription",
    selection: Using,
    names: readonly string[],
    what: (name: string) => string,
  ): Promise<void> {
    if (names.length === 0) return;
    this.#verdicts.count("execution", names.length);
    const { failure: together } = await this.#ask(kind, selection(names));
    if (together === undefined) return;
    if (together.message.startsWith("missing session variable")) {
      const fields = `the fields of ${cell.table ?? "the table"} for ${cell.role}`;
      const remedy = "the filter does not show its possible values; add sessions for the role to hasura-checks.yaml";
      this.#verdicts.say("not-verified", cell, `${fields}: ${together.message}, and ${remedy}`);
      return;
    }
    for (const name of names) {
      const { failure } = await this.#ask(kind, selection([name]));
      const reason = `${cell.role} is refused ${what(name)}: ${failure?.message ?? ""}`;
      if (failure !== undefined || names.length === 1) this.#verdicts.say("execution", { ...cell, name }, reason);
    }
  }

  /** Checks that a name is refused with the error of an unused name. Another error would reveal that the name exists. */
  async refused(
    cell: Cell,
    kind: "query" | "subscription",
    selection: Using,
    name: string,
    what: string,
  ): Promise<void> {
    const { failure } = await this.#ask(kind, selection([name]));
    const served = () => `${cell.role} is served ${what}, which is not granted`;
    this.#verdicts.hold("execution", cell, failure !== undefined, served);
    if (failure === undefined) return;
    const baseline = await this.#baseline(kind, selection([unused]));
    const revealed = () => `${cell.role} can see that ${what} exists by the error "${failure.message}"`;
    this.#verdicts.hold("error-texts", cell, isLikeUnknown(failure, name, baseline), revealed);
  }
}

const none = "where: {_or: []}";

/** The same value for each name, as objects of one field. */
const each = (names: readonly string[], value: string) => names.map((name) => `{${name}: ${value}}`).join(", ");
const isNull = "{_is_null: true}";
const isNotNull = "{_is_null: false}";

/** A key as arguments, so that an engine that serves the root field answers. */
function keyArguments(table: DeclaredTable): string {
  const given = (table.primaryKey ?? []).map(
    (column) => `${fieldOf(table, column)}: ${literal(placeholder(table.types.get(column)), table.types.get(column))}`,
  );
  return given.length === 0 ? "" : `(${given.join(", ")})`;
}

/** Documents of a root field, each with columns in one place. */
function uses(table: DeclaredTable, operation: Operation): readonly (readonly [where: string, using: Using])[] {
  const { field } = rootOf(table, operation);
  if (operation === "stream") {
    const start = (columns: readonly string[]) => columns.map((column) => `${column}: null`).join(", ");
    const stream = (given: string) => `${field}(batch_size: 1, ${given}) { __typename }`;
    return [
      ["in where", (columns) => stream(`cursor: [], where: {_and: [${each(columns, isNull)}]}`)],
      ["as cursor", (columns) => stream(`cursor: {initial_value: {${start(columns)}}}`)],
    ];
  }
  if (operation.endsWith("by key")) return [];
  const aggregate = operation.endsWith("aggregate");
  const nodes = (selected: string) => (aggregate ? `nodes { ${selected} }` : selected);
  const rows = (given: string, selected = "__typename") => `${field}(limit: 1, ${given}) { ${nodes(selected)} }`;
  const common: readonly (readonly [string, Using])[] = [
    ["as a field", (columns) => rows(none, columns.join(" "))],
    ["in where", (columns) => rows(`where: {_and: [{_or: []}, ${each(columns, isNotNull)}]}`)],
    ["deep in where", (columns) => rows(`where: {_not: {_or: [{_and: [${each(columns, isNull)}]}]}, _or: []}`)],
    ["in order_by", (columns) => rows(`${none}, order_by: [${each(columns, "desc")}]`)],
    ["in distinct_on", (columns) => rows(`${none}, distinct_on: [${columns.join(", ")}]`)],
  ];
  if (!aggregate) return common;
  return [
    ...common,
    ["counted", (columns) => `${field}(${none}) { aggregate { count(columns: [${columns.join(", ")}]) } }`],
    ["as a maximum", (columns) => `${field}(${none}) { aggregate { max { ${columns.join(" ")} } } }`],
  ];
}

/** Requests every root field in every operation and every column in every place: served if declared, otherwise refused. */
export async function verifyExecution(
  subject: Subject,
  role: string,
  variables: Variables,
  verdicts: Verdicts,
): Promise<void> {
  const prober = new Prober(subject, role, variables, verdicts);
  const verifyTable = async (table: DeclaredTable) => {
    const permission = subject.access.permission(role, table.key);
    for (const operation of operations) await verifyOperation(prober, role, table, permission, operation);
    if (permission?.operations.has("query") === true) await verifyRelationships(subject, prober, role, table);
  };
  await pMap(subject.access.tables.values(), verifyTable, { concurrency: subject.concurrency });
  for (const called of subject.access.functions) {
    const target = subject.access.permission(role, called.target);
    if (called.exposedAs === "mutation" || (target !== undefined && subject.access.mayCall(role, called))) continue;
    const { field } = called;
    const using: Using = ([name]) => `${name} { __typename }`;
    await prober.refused({ role, name: field }, "query", using, field, `the function ${field}`);
  }
}

async function verifyOperation(
  prober: Prober,
  role: string,
  table: DeclaredTable,
  permission: DeclaredPermission | undefined,
  operation: Operation,
): Promise<void> {
  const { kind, field } = rootOf(table, operation);
  const cell = { role, table: table.key };
  if (permission?.operations.has(operation) !== true) {
    const given = operation.endsWith("by key") ? keyArguments(table) : "";
    await prober.refused(cell, kind, ([name]) => `${name}${given} { __typename }`, field, `${field} (${operation})`);
    return;
  }
  for (const [where, using] of uses(table, operation)) {
    const what = (name: string) => `${field}.${name} ${where} (${operation})`;
    const needsOrder = where === "in order_by" || where === "in distinct_on";
    const granted = permission.columns.filter((column) => !needsOrder || isOrdered(table.types.get(column)));
    // Streams and maxima depend on the types of columns, so only refusals are checked.
    const names = granted.map((column) => fieldOf(table, column));
    if (operation !== "stream" && where !== "as a maximum") await prober.served(cell, kind, using, names, what);
    for (const column of table.fields.keys()) {
      const name = fieldOf(table, column);
      if (!permission.columns.includes(column))
        await prober.refused({ ...cell, name: column }, kind, using, name, what(name));
    }
  }
}

async function verifyRelationships(
  subject: Subject,
  prober: Prober,
  role: string,
  table: DeclaredTable,
): Promise<void> {
  const root = table.roots.select;
  const rows = (given: string, selected = "__typename") => `${root}(limit: 1, ${given}) { ${selected} }`;
  for (const { name, kind, target: key } of table.relationships) {
    const target = subject.access.tables.get(key);
    const permission = subject.access.permission(role, key);
    const cell = { role, table: table.key, name };
    const refuse = async (field: string, places: readonly (readonly [where: string, using: Using])[]) => {
      for (const [where, using] of places)
        await prober.refused(cell, "query", using, field, `${root}.${field}${where}`);
    };
    if (permission === undefined || target === undefined) {
      await refuse(name, [
        ["", ([relationship]) => rows(none, `${relationship} { __typename }`)],
        [" in where", ([relationship]) => rows(`where: {${relationship}: {}}`)],
        [" in order_by", ([relationship]) => rows(`${none}, order_by: {${relationship}: {}}`)],
      ]);
      continue;
    }
    const condition = (columns: readonly string[]) => `{${name}: {_and: [${each(columns, isNotNull)}]}}`;
    const order = (columns: readonly string[]) => columns.map((column) => `{${name}: {${column}: asc}}`).join(", ");
    const ways: readonly (readonly [string, Using])[] = [
      ["through a relationship", (columns) => rows(none, `${name} { ${columns.join(" ")} }`)],
      ["through a relationship in where", (columns) => rows(`where: {_and: [{_or: []}, ${condition(columns)}]}`)],
      ["through a relationship in order_by", (columns) => rows(`${none}, order_by: [${order(columns)}]`)],
    ];
    for (const [where, using] of kind === "object" ? ways : ways.slice(0, 2)) {
      const what = (field: string) => `${root}.${name}.${field} ${where}`;
      const granted = permission.columns.filter(
        (column) => !where.endsWith("order_by") || isOrdered(target.types.get(column)),
      );
      const names = granted.map((column) => fieldOf(target, column));
      await prober.served(cell, "query", using, names, what);
      for (const column of target.fields.keys()) {
        const field = fieldOf(target, column);
        if (!permission.columns.includes(column)) await prober.refused(cell, "query", using, field, what(field));
      }
    }
    if (kind !== "array" || permission.aggregates) continue;
    const aggregate = subject.access.naming.suffixed(name, "aggregate");
    await refuse(aggregate, [
      ["", ([field]) => rows(none, `${field} { aggregate { count } }`)],
      [" in where", ([field]) => rows(`where: {${field}: {count: {predicate: {_eq: 1}}}}`)],
    ]);
  }
}
