/** Attempts to change rows, each as a request and as SQL that is written from the declaration alone. */
import { identifier } from "../../declared/filter-text.ts";
import type { DeclaredRelationship } from "../../declared/declared.ts";
import { graphqlName } from "@routeql/metadata/naming";
import type { DeclaredWrite } from "../../declared/writes.ts";
import type { TextRows } from "../../metadata/database.ts";
import { documentOf, fieldOf, literalOf } from "../observe/documents.ts";
import { selectionOf } from "../decide/rows.ts";
import {
  candidates,
  dependsOn,
  fresh,
  numberedReferences,
  type Sample,
  samplesOf,
  settable,
  type Target,
  targetOf,
  type Value,
  type Values,
  valueSql,
} from "./values.ts";

/** A changed row: whether it meets the check, whether the role may read it, and its visible values as JSON. */
export type ChangedRow = readonly [check: boolean, visible: boolean, shown: string | null];

type RunSql = (text: string) => Promise<TextRows>;

/** Rows of the root field and the number of all changed rows. */
interface Change {
  readonly rows: readonly ChangedRow[];
  readonly affected: number;
}

export interface Attempt {
  readonly target: Target;
  readonly write: DeclaredWrite;
  /** In words, after the name of the role and "may". */
  readonly what: string;
  readonly field: string;
  /** Whether the root field returns one row or null. */
  readonly single: boolean;
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly change: (run: RunSql) => Promise<Change>;
  readonly sample?: Sample;
  /** The column that the attempt sets. */
  readonly column?: string;
  /** The table of a nested row. */
  readonly nested?: string;
}

/** The name of a column where a keyword, such as `from`, needs quotes. */
const named = (column: string) => `"${column.replaceAll('"', '""')}"`;

/** Items of RETURNING. A check without a result counts as met, as in Hasura. */
function returned({ sql, select, table }: Target, check: string): string {
  if (select === undefined) return `((${check}) is not false)::text, 'false', null`;
  const shown = `(select to_json(r)::text from (select ${sql.values(table, select, "it")}) r)`;
  return `((${check}) is not false)::text, ((${sql.filter(select, "it")}) is true)::text, ${shown}`;
}

const changedRows = (rows: TextRows): readonly ChangedRow[] =>
  rows.map(([check, visible, shown = null]) => [check === "true", visible === "true", shown]);

async function changeBy(run: RunSql, statement: string): Promise<Change> {
  const rows = changedRows(await run(statement));
  return { rows, affected: rows.length };
}

const jsonOf = ({ table }: Target, values: Values) =>
  Object.fromEntries([...values].map(([column, { json }]) => [fieldOf(table, column), json]));

/** Assignments of a permission: the values of the client and the presets, which take precedence. */
function assigned({ sql }: Target, { presets }: DeclaredWrite, values: Values): ReadonlyMap<string, string> {
  return new Map([
    ...[...values].map(([column, value]) => [column, valueSql(value)] as const),
    ...Object.entries(presets).map(([column, value]) => [column, sql.preset(value)] as const),
  ]);
}

const assignments = (values: ReadonlyMap<string, string>) =>
  [...values].map(([column, value]) => `${named(column)} = ${value}`).join(", ");

const condition = ({ sql, table }: Target, filter: DeclaredWrite["filter"]) =>
  filter === undefined ? "true" : sql.condition(table.key, filter, "it");

interface Where {
  readonly words: string;
  readonly json: unknown;
  readonly sql: string;
  /** The key as arguments. */
  readonly key: string;
  readonly sample?: Sample;
}

const everywhere: Where = { words: "all rows", json: {}, sql: "true", key: "" };

function atKey({ table, key = [] }: Target, sample: Sample): Where {
  const valueAt = (column: string): Value => sample.values.get(column) ?? { text: null, json: null };
  return {
    words: `the row ${key.map((column) => `${column} = ${valueAt(column).text ?? "null"}`).join(", ")}`,
    json: Object.fromEntries(key.map((column) => [fieldOf(table, column), { _eq: valueAt(column).json }])),
    sql: key.map((column) => `it.${identifier(column)} = ${valueSql(valueAt(column))}`).join(" and "),
    key: key
      .map((column) => `${fieldOf(table, column)}: ${literalOf(table, column, valueAt(column).text ?? "")}`)
      .join(", "),
    sample,
  };
}

/** Builds the attempts of one permission in one session. */
export class Attempts {
  readonly #target: Target;
  readonly #write: DeclaredWrite;
  readonly #list: Attempt[] = [];
  #numbered: readonly string[] = [];

  constructor(target: Target, write: DeclaredWrite) {
    this.#target = target;
    this.#write = write;
  }

  /** @param isSmall whether all rows of the table may be changed at once */
  async all(isSmall: boolean): Promise<readonly Attempt[]> {
    const { operation, filter, check } = this.#write;
    const samples = await samplesOf(this.#target, condition(this.#target, filter ?? check), 3);
    if (operation === "insert") {
      this.#numbered = await numberedReferences(this.#target);
      await this.#inserts(samples);
      await this.#upserts();
      for (const relationship of this.#target.table.relationships) await this.#nested(relationship, samples);
    }
    if (operation === "update") await this.#updates(samples, isSmall);
    if (operation === "delete") this.#deletes(samples, isSmall);
    return this.#list;
  }

  #type(suffix: string): string {
    const { subject, table } = this.#target;
    return subject.access.naming.type(table.names, suffix);
  }

  #add(
    given: Pick<Attempt, "what" | "field" | "single" | "change" | "variables" | "sample" | "column" | "nested"> & {
      readonly head: string;
      readonly args: string;
    },
  ): void {
    const { head, args, ...attempt } = given;
    const { subject, select } = this.#target;
    const { access } = subject;
    const shown = select === undefined ? "" : selectionOf({ table: this.#target.table, permission: select });
    const rows = `${access.naming.field("affected_rows")}${shown === "" ? "" : ` returning { ${shown} }`}`;
    const selection = `${given.field}(${args}) { ${given.single ? shown : rows} }`;
    const query = documentOf(access, `mutation${head === "" ? "" : `(${head})`}`, selection);
    this.#list.push({ target: this.#target, write: this.#write, query, ...attempt });
  }

  /** The columns on which a condition of the role depends, with values that can decide it. */
  async #decisive(columns: readonly string[], samples: readonly Sample[]) {
    const { table, subject, select, role, catalog } = this.#target;
    const conditions = [
      select?.filter,
      ...subject.access.writes
        .filter((write) => write.role === role && write.table === table.key)
        .flatMap(({ filter, check }) => [filter, check]),
    ];
    const decisive = columns.filter(
      (column) =>
        conditions.some((each) => dependsOn(this.#target, each, column)) ||
        catalog.foreignKeys.some((key) => key.columns.includes(column)),
    );
    const values: [string, readonly Value[]][] = [];
    for (const column of decisive) values.push([column, await candidates(this.#target, column, conditions, samples)]);
    return values;
  }

  async #updates(samples: readonly Sample[], isSmall: boolean): Promise<void> {
    const columns = settable(this.#target, this.#write);
    const [first] = columns;
    if (first === undefined) return;
    const decisive = await this.#decisive(columns, samples);
    const others = columns.filter((column) => !decisive.some(([name]) => name === column));
    const [model] = samples;
    const hasKey = this.#target.key !== undefined;
    for (const column of isSmall ? (hasKey ? columns.slice(0, 1) : others) : []) {
      const value = model?.values.get(column);
      if (value !== undefined) this.#update(everywhere, new Map([[column, value]]));
    }
    if (!hasKey) {
      if (isSmall)
        for (const [column, values] of decisive)
          for (const value of values) this.#update(everywhere, new Map([[column, value]]));
      return;
    }
    const rest = (sample: Sample) =>
      new Map(
        (others.length === 0 ? [first] : others).flatMap((column) => {
          const from = samples.find((other) => other !== sample) ?? sample;
          const value = isUnique(this.#target, column) ? undefined : from.values.get(column);
          return value === undefined ? [] : [[column, value] as const];
        }),
      );
    for (const sample of samples) {
      const values = rest(sample);
      if (values.size > 0) this.#update(atKey(this.#target, sample), values);
    }
    const both = samples.map((sample) => [atKey(this.#target, sample), rest(sample)] as const).slice(-2);
    if (both.every(([, values]) => values.size > 0)) this.#updateMany(both);
    for (const sample of [samples.find(({ meets }) => meets), samples.find(({ meets }) => !meets)]) {
      if (sample === undefined) continue;
      if (rest(sample).size > 0) this.#update(atKey(this.#target, sample), rest(sample), true);
      for (const [column, values] of decisive)
        for (const value of values)
          if (value.text !== sample.values.get(column)?.text)
            this.#update(atKey(this.#target, sample), new Map([[column, value]]));
    }
  }

  #updateSql({ sql: where }: Where, values: Values): string {
    const { sql, table } = this.#target;
    const { filter, check } = this.#write;
    return `update ${sql.from(table, "it")} set ${assignments(assigned(this.#target, this.#write, values))} where (${condition(this.#target, filter)}) and (${where}) returning ${returned(this.#target, condition(this.#target, check))}`;
  }

  /** @param byKey whether the request names the row by its key instead of a condition */
  #update(where: Where, values: Values, byKey = false): void {
    const { names, subject } = this.#target;
    const { naming } = subject.access;
    const [column] = values.size === 1 ? values.keys() : [];
    const set = `${naming.field("_set")}: $set`;
    this.#add({
      what: `update ${where.words}${byKey ? " by its key" : ""}, ${words(values)}`,
      field: byKey ? names.update_by_pk : names.update,
      single: byKey,
      head: `${byKey ? "" : `$where: ${this.#type("bool_exp")}!, `}$set: ${this.#type("set_input")}`,
      args: byKey ? `${naming.field("pk_columns")}: {${where.key}}, ${set}` : `where: $where, ${set}`,
      variables: { set: jsonOf(this.#target, values), ...(byKey ? {} : { where: where.json }) },
      change: (run) => changeBy(run, this.#updateSql(where, values)),
      sample: where.sample,
      column,
    });
  }

  #updateMany(changes: readonly (readonly [Where, Values])[]): void {
    const { names, subject } = this.#target;
    const set = subject.access.naming.field("_set");
    this.#add({
      what: `update ${changes.map(([where, values]) => `${where.words}, ${words(values)}`).join(" and ")}`,
      field: names.update_many,
      single: false,
      head: `$updates: [${this.#type("updates")}!]!`,
      args: "updates: $updates",
      variables: {
        updates: changes.map(([where, values]) => ({ where: where.json, [set]: jsonOf(this.#target, values) })),
      },
      change: async (run) => {
        const rows: ChangedRow[] = [];
        for (const change of changes) rows.push(...changedRows(await run(this.#updateSql(...change))));
        return { rows, affected: rows.length };
      },
    });
  }

  #deletes(samples: readonly Sample[], isSmall: boolean): void {
    const { key } = this.#target;
    const rows = key === undefined ? [] : samples.map((sample) => atKey(this.#target, sample));
    for (const where of [...(isSmall ? [everywhere] : []), ...rows]) this.#delete(where, false);
    for (const where of rows.slice(-1)) this.#delete(where, true);
  }

  #delete(where: Where, byKey: boolean): void {
    const { names, sql, table } = this.#target;
    const selected = `(${condition(this.#target, this.#write.filter)}) and (${where.sql})`;
    const statement = `delete from ${sql.from(table, "it")} where ${selected} returning ${returned(this.#target, "true")}`;
    this.#add({
      what: `delete ${where.words}${byKey ? " by its key" : ""}`,
      field: byKey ? names.delete_by_pk : names.delete,
      single: byKey,
      head: byKey ? "" : `$where: ${this.#type("bool_exp")}!`,
      args: byKey ? where.key : "where: $where",
      variables: byKey ? {} : { where: where.json },
      change: (run) => changeBy(run, statement),
      sample: where.sample,
    });
  }

  async #inserts(samples: readonly Sample[]): Promise<void> {
    const columns = settable(this.#target, this.#write);
    const of = ({ values }: Sample): Values => new Map([...values].filter(([column]) => columns.includes(column)));
    for (const sample of samples) this.#insert(of(sample), "like an existing one");
    const [model = { meets: false, visible: false, values: new Map() }] = samples;
    const decisive = await this.#decisive(columns, samples);
    if (this.#target.select !== undefined) this.#insert(of(model), "like an existing one", undefined, true);
    for (const [column, values] of decisive) {
      for (const value of values)
        this.#insert(new Map([...of(model), [column, value]]), `with ${words(new Map([[column, value]]))}`, column);
      this.#insert(new Map([...of(model)].filter(([name]) => name !== column)), `without ${column}`, column);
    }
  }

  #insert(given: Values, described: string, column?: string, single = false): void {
    const { names } = this.#target;
    const values = fresh(this.#target, given);
    const all = assigned(this.#target, this.#write, values);
    if (this.#numbered.some((reference) => !all.has(reference))) return;
    const object = jsonOf(this.#target, values);
    this.#add({
      what: `insert a row ${described}`,
      field: single ? names.insert_one : names.insert,
      single,
      head: single ? `$object: ${this.#type("insert_input")}!` : `$objects: [${this.#type("insert_input")}!]!`,
      args: single ? "object: $object" : "objects: $objects",
      variables: single ? { object } : { objects: [object] },
      change: (run) => changeBy(run, insertSql(this.#target, this.#write, values)),
      column,
    });
  }

  /** Inserts a row with the key of an existing one, which is updated if the update permission selects it. */
  async #upserts(): Promise<void> {
    const { catalog, table, subject, names } = this.#target;
    const update = this.#otherWrite("update", table.key);
    const columns = settable(this.#target, this.#write);
    const index = catalog.unique.find(
      (one) => graphqlName.test(one.name) && one.columns.every((column) => columns.includes(column)),
    );
    if (update === undefined || index === undefined || table.isView) return;
    const { naming } = subject.access;
    const samples = await samplesOf(this.#target, condition(this.#target, update.filter), 2);
    const both = settable(this.#target, update).filter(
      (column) => columns.includes(column) && !isUnique(this.#target, column) && !index.columns.includes(column),
    );
    const decisive = await this.#decisive(both, samples);
    const changes = decisive.flatMap(([column, values]) => values.map((value) => [column, value] as const));
    for (const sample of samples)
      for (const [column, value] of changes.length > 0
        ? changes
        : both.slice(0, 1).map((one) => [one, undefined] as const)) {
        const given = new Map([...sample.values].filter(([name]) => columns.includes(name)));
        if (value !== undefined) given.set(column, value);
        const set = new Map([[column, `excluded.${named(column)}`], ...assigned(this.#target, update, new Map())]);
        const conflict = ` on conflict on constraint ${identifier(index.name)} do update set ${assignments(set)} where ${condition(this.#target, update.filter)}`;
        const inserted = condition(this.#target, this.#write.check);
        // An update permission without a check leaves the check of the insert permission, as in Hasura.
        const updated = update.check === undefined ? inserted : condition(this.#target, update.check);
        const check = `case when it.xmax = 0 then (${inserted}) else (${updated}) end`;
        this.#add({
          what: `insert ${atKey(this.#target, sample).words || "an existing row"} again, and update ${column} to ${value?.text ?? "its value"}`,
          field: names.insert,
          single: false,
          head: `$objects: [${this.#type("insert_input")}!]!, $conflict: ${this.#type("on_conflict")}`,
          args: `objects: $objects, ${naming.field("on_conflict")}: $conflict`,
          variables: {
            objects: [jsonOf(this.#target, given)],
            conflict: { constraint: index.name, [naming.field("update_columns")]: [fieldOf(table, column)] },
          },
          change: (run) => changeBy(run, insertSql(this.#target, this.#write, given, { conflict, check })),
          sample,
        });
      }
  }

  #otherWrite(operation: DeclaredWrite["operation"], table: string): DeclaredWrite | undefined {
    return this.#target.subject.access.writes.find(
      (write) =>
        write.role === this.#target.role &&
        write.table === table &&
        write.operation === operation &&
        (!write.backendOnly || this.#write.backendOnly),
    );
  }

  /** Inserts a row together with a related one, whose permission has its own check. */
  async #nested({ name, kind, target: key, mapping }: DeclaredRelationship, samples: readonly Sample[]): Promise<void> {
    const { subject, role, variables, names, catalog } = this.#target;
    const write = this.#otherWrite("insert", key);
    const below = targetOf(subject, role, variables, key);
    const [own, remote] = [Object.keys(mapping), Object.values(mapping)];
    const refers = catalog.foreignKeys.some(({ columns }) => own.every((column) => columns.includes(column)));
    const [model] = samples;
    if (write === undefined || below === undefined || model === undefined || (kind === "object" && !refers)) return;
    const valuesOf = (target: Target, of: DeclaredWrite, { values }: Sample, determined: readonly string[]) =>
      fresh(
        target,
        new Map(
          [...values].filter(([column]) => settable(target, of).includes(column) && !determined.includes(column)),
        ),
      );
    for (const sample of await samplesOf(below, condition(below, write.check), 1)) {
      const parent = valuesOf(this.#target, this.#write, model, kind === "object" ? own : []);
      const child = valuesOf(below, write, sample, kind === "array" ? remote : []);
      const [first, second] =
        kind === "array"
          ? [
              { target: this.#target, write: this.#write, values: parent, keys: own },
              { target: below, write, values: child, keys: remote },
            ]
          : [
              { target: below, write, values: child, keys: remote },
              { target: this.#target, write: this.#write, values: parent, keys: own },
            ];
      const object = jsonOf(below, child);
      this.#add({
        what: `insert a row together with a row of ${key} by ${name}`,
        nested: key,
        field: names.insert,
        single: false,
        head: `$objects: [${this.#type("insert_input")}!]!`,
        args: "objects: $objects",
        variables: {
          objects: [{ ...jsonOf(this.#target, parent), [name]: { data: kind === "array" ? [object] : object } }],
        },
        change: async (run) => {
          const one = await run(insertSql(first.target, first.write, first.values, { further: first.keys }));
          const keys = one[0]?.slice(3) ?? [];
          const determined = second.keys.map((column, index): [string, Value] => [
            column,
            { text: keys[index] ?? null, json: null },
          ]);
          const other = await run(insertSql(second.target, second.write, new Map([...second.values, ...determined])));
          const [parents, children] = (kind === "array" ? [one, other] : [other, one]).map(changedRows);
          const plain = (children ?? []).map(([check]): ChangedRow => [check, true, null]);
          return { rows: [...(parents ?? []), ...plain], affected: one.length + other.length };
        },
      });
    }
  }
}

interface InsertParts {
  readonly conflict?: string;
  /** Default: the check of the permission. */
  readonly check?: string;
  /** Columns that are returned too. */
  readonly further?: readonly string[];
}

function insertSql(target: Target, write: DeclaredWrite, values: Values, parts: InsertParts = {}): string {
  const { sql, table } = target;
  const { conflict = "", check = condition(target, write.check), further = [] } = parts;
  const all = assigned(target, write, values);
  const row =
    all.size === 0
      ? "default values"
      : `(${[...all.keys()].map(named).join(", ")}) values (${[...all.values()].join(", ")})`;
  const keys = further.map((column) => `, it.${identifier(column)}::text`).join("");
  return `insert into ${sql.from(table, "as it")} ${row}${conflict} returning ${returned(target, check)}${keys}`;
}

const words = (values: Values) => [...values].map(([column, { text }]) => `${column} = ${text ?? "null"}`).join(", ");

const isUnique = ({ catalog }: Target, column: string) =>
  catalog.unique.some(({ columns }) => columns.length === 1 && columns[0] === column);
