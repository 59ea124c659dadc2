import { EngineError, invalid } from "../../errors.ts";
import { type Relationship, type TableColumn, title } from "../../model.ts";
import type { Insert, NewRow } from "./write.ts";
import type { TextRow } from "./print.ts";

export type Determined = ReadonlyMap<TableColumn, string | null>;

/** Result of one insert: the rows as items of an array, and for one row the wanted columns. */
export interface Inserted {
  readonly array: string;
  readonly affected: number;
  readonly columns: Determined;
}

/** Runs one insert of rows without related ones. */
export type InsertRows = (
  insert: Insert,
  rows: readonly TextRow[],
  path: string,
  wanted?: readonly TableColumn[],
) => Promise<Inserted>;

const quoted = (columns: Iterable<string>): string => [...columns].map((name) => `"${name}"`).join(", ");

/** @throws EngineError when a value is given that another row determines */
function checkRow({ cells, related }: NewRow, parent: Determined, path: string): void {
  const determined = new Set([...parent.keys()].map(({ name }) => name));
  const own = cells.map(({ column }) => column.name);
  const twice = own.filter((name) => determined.has(name));
  if (twice.length > 0)
    throw invalid(
      `cannot insert ${quoted(twice)} columns as their values are already being determined by parent insert`,
      path,
    );
  for (const { relationship } of related) {
    if (relationship.isInsertedAfter) continue;
    const taken = relationship.mapping
      .map(([column]) => column.name)
      .filter((name) => determined.has(name) || own.includes(name));
    if (taken.length > 0)
      throw invalid(
        `cannot insert object relationship "${relationship.name}" as ${quoted(taken)} column values are already determined`,
        `${path}.${relationship.name}`,
      );
  }
}

/** Inserts rows with related rows, one after the other: first the rows that they refer to, then those that refer to them. */
export class NestedInsert {
  readonly #run: InsertRows;
  readonly #textRow: (insert: Insert, row: NewRow, determined: Determined) => TextRow;

  constructor(run: InsertRows, textRow: (insert: Insert, row: NewRow, determined: Determined) => TextRow) {
    this.#run = run;
    this.#textRow = textRow;
  }

  /** The arrays of all rows, and the number of rows in all tables. */
  async all(insert: Insert, parent: Determined, path: string): Promise<{ arrays: string[]; affected: number }> {
    if (insert.rows.every(({ related }) => related.length === 0)) {
      for (const [index, row] of insert.rows.entries()) checkRow(row, parent, `${path}[${index}]`);
      const rows = insert.rows.map((row) => this.#textRow(insert, row, parent));
      const { array, affected } = await this.#run(insert, rows, path);
      return { arrays: [array], affected };
    }
    const arrays: string[] = [];
    let affected = 0;
    for (const [index, row] of insert.rows.entries()) {
      const inserted = await this.#one(insert, row, parent, `${path}[${index}]`, []);
      arrays.push(inserted.array);
      affected += inserted.affected;
    }
    return { arrays, affected };
  }

  /** @param wanted columns of the row for the caller */
  async #one(
    insert: Insert,
    row: NewRow,
    parent: Determined,
    path: string,
    wanted: readonly TableColumn[],
  ): Promise<Inserted> {
    checkRow(row, parent, path);
    let affected = 0;
    const determined = new Map(parent);
    const [before, after] = [false, true].map((isAfter) =>
      row.related.filter(({ relationship }) => relationship.isInsertedAfter === isAfter),
    );
    for (const related of before ?? []) {
      const { relationship } = related;
      const inserted = await this.#referred(relationship, related.insert, `${path}.${relationship.name}`);
      affected += inserted.affected;
      for (const [own, remote] of relationship.mapping) determined.set(own, inserted.columns.get(remote) ?? null);
    }
    const needed = new Set([
      ...wanted,
      ...(after ?? []).flatMap(({ relationship }) => relationship.mapping.map(([own]) => own)),
    ]);
    const inserted = await this.#run(insert, [this.#textRow(insert, row, determined)], path, [...needed]);
    affected += inserted.affected;
    if (after !== undefined && after.length > 0 && inserted.affected === 0)
      throw zeroRows("array relations", insert, path);
    for (const { relationship, insert: related } of after ?? []) {
      const own = new Map(
        relationship.mapping.map(([column, remote]) => [remote, inserted.columns.get(column) ?? null] as const),
      );
      const below = await this.all(related, own, `${path}.${relationship.name}.data`);
      affected += below.affected;
    }
    return { ...inserted, affected };
  }

  async #referred(relationship: Relationship, insert: Insert, path: string): Promise<Inserted> {
    const [row] = insert.rows;
    if (row === undefined) throw new Error("an object relationship has one row");
    const wanted = relationship.mapping.map(([, remote]) => remote);
    const inserted = await this.#one(insert, row, new Map(), `${path}.data`, wanted);
    if (inserted.array === "{}") throw zeroRows(`object relation "${relationship.name}"`, insert, path);
    return inserted;
  }
}

function zeroRows(what: string, { target }: Insert, path: string): EngineError {
  const message = `cannot proceed to insert ${what} since insert to table ${title(target.table.catalog)} affects zero rows`;
  return new EngineError({ code: "not-supported", path, message });
}
