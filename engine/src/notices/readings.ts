import { nameKey } from "@routeql/metadata/catalog/catalog";
import type { QualifiedName } from "@routeql/metadata/read/shape";
import type { Reads } from "../sql/print.ts";
import type { Hearing } from "./listener.ts";

/** The tables that an object reads, and itself if it is a table. */
export interface Reading {
  /** Names as notices have them, by `pg_class.oid`. */
  readonly tables: ReadonlyMap<number, string>;
  /** Why changes cannot be noticed. */
  readonly reasons: readonly string[];
  /** Of the named objects, to look again. */
  readonly relations: readonly number[];
  readonly functions: readonly number[];
}

/** One object that a statement names. */
export interface NamedObject {
  /** Such as `public.notes`. */
  readonly name: string;
  /** The object alone. */
  readonly reads: Reads;
}

/** Each object that a statement names, by a key that is unique in the source. */
export function objectsOf({ relations, functions, nativeQueries }: Reads): ReadonlyMap<string, NamedObject> {
  const dotted = ({ schema, name }: QualifiedName): string => `${schema}.${name}`;
  return new Map([
    ...[...relations].map((each) => alone("relation", each[0], dotted(each[1]), { relations: new Map([each]) })),
    ...[...functions].map((each) => alone("function", each[0], dotted(each[1]), { functions: new Map([each]) })),
    ...[...nativeQueries].map((name) => alone("native query", name, name, { nativeQueries: new Set([name]) })),
  ]);
}

const nothing: Reads = { relations: new Map(), functions: new Map(), nativeQueries: new Set() };
const alone = (kind: string, key: string, name: string, reads: Partial<Reads>): [string, NamedObject] => [
  `${kind} ${key}`,
  { name, reads: { ...nothing, ...reads } },
];

type Tables = Pick<Reading, "tables" | "reasons">;
type Ids = Pick<Reading, "relations" | "functions">;

/** Codes for missing objects and rights. */
const absent = new Set(["42883", "3F000", "42501", "42P01"]);

const polled = (reason: string): Reading => ({ tables: new Map(), reasons: [reason], relations: [], functions: [] });

/** False for a missing object and a native query. */
export const isAnalysed = ({ relations, functions }: Reading): boolean => relations.length + functions.length > 0;

/** Asks Postgres which tables are read, through views and functions. @throws Error when the connection fails */
export async function readingsOf(hearing: Hearing, wanted: readonly Reads[]): Promise<readonly Reading[]> {
  try {
    const idsOf = await lookUp(hearing, wanted);
    const known = wanted.map((reads) => {
      const [native] = reads.nativeQueries;
      return native === undefined ? idsOf(reads) : `the SQL of the native query ${native} is not analysed`;
    });
    const found = await tablesOf(
      hearing,
      known.filter((ids) => typeof ids !== "string"),
    );
    return known.map((ids) => (typeof ids === "string" ? polled(ids) : { ...ids, ...(found.shift() ?? noTables) }));
  } catch (error) {
    if (!absent.has(String((error as { code?: unknown }).code))) throw error;
    const reason = "the database has no functions for notices: the migrate job of this version has not run there";
    return wanted.map(() => polled(reason));
  }
}

const noTables: Tables = { tables: new Map(), reasons: [] };

/** Finds the named objects, all overloads of a function. The result gives those of one of the wanted, or what is missing. */
async function lookUp(hearing: Hearing, wanted: readonly Reads[]): Promise<(reads: Reads) => Ids | string> {
  const { rows } = await hearing.query<{ is_function: boolean; schema: string; name: string; id: string }>(named, [
    ...columnsOf(wanted.flatMap(({ relations }) => [...relations.values()])),
    ...columnsOf(wanted.flatMap(({ functions }) => [...functions.values()])),
  ]);
  const keyOf = (isFunction: boolean, { schema, name }: QualifiedName): string =>
    JSON.stringify([isFunction, schema, name]);
  const known = Map.groupBy(rows, (row) => keyOf(row.is_function, row));
  return ({ relations, functions }) => {
    const idsOf = (isFunction: boolean, names: Iterable<QualifiedName>) =>
      [...names].map((name) => ({ name, ids: known.get(keyOf(isFunction, name))?.map(({ id }) => Number(id)) }));
    const all = { relations: idsOf(false, relations.values()), functions: idsOf(true, functions.values()) };
    const missing = [...all.relations, ...all.functions].find(({ ids }) => ids === undefined);
    if (missing !== undefined) return `${nameKey(missing.name)} is missing in the database that sends notices`;
    return {
      relations: all.relations.flatMap(({ ids }) => ids ?? []),
      functions: all.functions.flatMap(({ ids }) => ids ?? []),
    };
  };
}

/** One statement, because planning it takes longer than running it. */
async function tablesOf(hearing: Hearing, wanted: readonly Ids[]): Promise<Tables[]> {
  const found: { tables: Map<number, string>; reasons: string[] }[] = wanted.map(() => ({
    tables: new Map(),
    reasons: [],
  }));
  const { rows } = await hearing.query<{
    position: string;
    relation: string | null;
    name: string | null;
    reason: string | null;
  }>(readBy, [JSON.stringify(wanted.map(({ relations, functions }) => ({ relations, functions })))]);
  for (const { position, relation, name, reason } of rows) {
    const own = found[Number(position) - 1];
    if (relation !== null && name !== null) own?.tables.set(Number(relation), name);
    if (reason !== null) own?.reasons.push(reason);
  }
  return found;
}

/** Whether the same tables are still read in the same way. One statement answers for all readings. */
export async function areUnchanged(hearing: Hearing, readings: readonly Reading[]): Promise<boolean> {
  const analysed = readings.filter(isAnalysed);
  if (analysed.length === 0) return true;
  const now = await tablesOf(hearing, analysed);
  return analysed.every((reading, index) => textOf(reading) === textOf(now[index]!));
}

const textOf = ({ tables, reasons }: Tables): string =>
  JSON.stringify([[...tables].map(([id, name]) => `${id} ${name}`).toSorted(), [...new Set(reasons)].toSorted()]);

function columnsOf(names: readonly QualifiedName[]): string[][] {
  return [names.map(({ schema }) => schema), names.map(({ name }) => name)];
}

const named = `
SELECT DISTINCT false AS is_function, g.schema, g.name, c.oid::text AS id FROM unnest($1::text[], $2::text[]) AS g(schema, name)
JOIN pg_namespace n ON n.nspname = g.schema JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = g.name
UNION ALL
SELECT DISTINCT true, g.schema, g.name, p.oid::text FROM unnest($3::text[], $4::text[]) AS g(schema, name)
JOIN pg_namespace n ON n.nspname = g.schema JOIN pg_proc p ON p.pronamespace = n.oid AND p.proname = g.name`;

/** A full queue of notices would make the writers' transactions fail. */
const readBy = `
SELECT asked.position::text, found.relation::text, found.name, found.reason
FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS asked(value, position)
CROSS JOIN LATERAL public.tables_read_by(ARRAY(SELECT jsonb_array_elements_text(asked.value -> 'relations')::oid),
  ARRAY(SELECT jsonb_array_elements_text(asked.value -> 'functions')::oid)) AS found
UNION ALL
SELECT asked.position::text, NULL, NULL, 'the queue of notices is more than half full'
FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS asked(value, position) WHERE pg_notification_queue_usage() > 0.5`;
