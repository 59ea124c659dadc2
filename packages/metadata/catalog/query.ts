interface AnsweredName {
  readonly schema: string;
  readonly name: string;
}

export interface CatalogAnswer {
  readonly tables: readonly (AnsweredName & {
    readonly kind: "r" | "p" | "v" | "m" | "f";
    readonly comment: string | null;
    readonly columns: readonly {
      readonly name: string;
      readonly type: number;
      readonly nullable: boolean;
      readonly comment: string | null;
      readonly generated: boolean;
    }[];
    /** Bits of `pg_relation_is_updatable` for a view, with its INSTEAD OF triggers; null for a table. */
    readonly changes: number | null;
    readonly unique: readonly { readonly name: string; readonly columns: readonly string[] }[];
    readonly keys: readonly { readonly primary: boolean; readonly columns: readonly string[] }[];
    readonly foreign_keys: readonly {
      readonly name: string;
      readonly columns: readonly string[];
      readonly target: AnsweredName;
      readonly target_columns: readonly string[];
    }[];
  })[];
  readonly functions: readonly (AnsweredName & {
    readonly volatility: "i" | "s" | "v";
    readonly comment: string | null;
    readonly arguments: readonly { readonly name: string | null; readonly type: number }[];
    readonly defaults: number;
    readonly returns_set: boolean;
    readonly return_type: number;
    readonly return_table: AnsweredName | null;
    readonly variadic: boolean;
  })[];
  readonly named_types: Readonly<Record<string, number>>;
  readonly types: Readonly<
    Record<
      string,
      {
        readonly name: string;
        readonly sql: string;
        readonly kind: "b" | "c" | "d" | "e" | "m" | "p" | "r";
        readonly element: number | null;
        /** The name of a domain, whose other properties are those of its base type. */
        readonly domain?: string | null;
      }
    >
  >;
}

const columnNames = (relation: string, numbers: string): string =>
  `(SELECT coalesce(json_agg(a.attname ORDER BY u.position), '[]') FROM unnest(${numbers}) WITH ORDINALITY AS u(number, position)
    JOIN pg_attribute a ON a.attrelid = ${relation} AND a.attnum = u.number)`;

/**
 * One statement for all tracked objects: $1, $2 schemas and names of relations, $3, $4 of functions, $5 names of types.
 * `base` resolves domains to their base types. With the modifier -1, `format_type` returns the name without a length: `bpchar`
 * instead of `character`, which means one character.
 */
export const catalogQuery = `
WITH RECURSIVE wanted AS (
  SELECT c.oid, n.nspname, c.relname, c.relkind
  FROM (SELECT * FROM unnest($1::text[], $2::text[])) AS w(schema, name)
  JOIN pg_namespace n ON n.nspname = w.schema
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
), called AS (
  SELECT p.*, n.nspname
  FROM (SELECT * FROM unnest($3::text[], $4::text[])) AS w(schema, name)
  JOIN pg_namespace n ON n.nspname = w.schema
  JOIN pg_proc p ON p.pronamespace = n.oid AND p.proname = w.name AND p.prokind = 'f'
), named AS (
  SELECT t.oid, t.typname FROM pg_type t WHERE t.typname = ANY ($5::text[]) AND pg_type_is_visible(t.oid)
), used(oid) AS (
  SELECT a.atttypid FROM wanted w JOIN pg_attribute a ON a.attrelid = w.oid AND a.attnum > 0 AND NOT a.attisdropped
  UNION SELECT unnest(p.proargtypes) FROM called p
  UNION SELECT p.prorettype FROM called p
  UNION SELECT oid FROM named
), base(oid, below) AS (
  SELECT u.oid, u.oid FROM used u
  UNION ALL
  SELECT b.oid, t.typbasetype FROM base b JOIN pg_type t ON t.oid = b.below WHERE t.typtype = 'd'
), resolved AS (
  SELECT b.oid, t.oid AS base_oid, t.typname, t.typtype,
    CASE WHEN t.typcategory = 'A' AND t.typelem <> 0 THEN t.typelem END AS element
  FROM base b JOIN pg_type t ON t.oid = b.below WHERE t.typtype <> 'd'
), elements AS (
  SELECT DISTINCT t.oid, t.typname, t.typtype FROM resolved r JOIN pg_type t ON t.oid = r.element
)
SELECT json_build_object(
  'types', (SELECT coalesce(json_object_agg(oid, type), '{}') FROM (
      SELECT r.oid, json_build_object('name', r.typname, 'sql', format_type(r.base_oid, -1), 'kind', r.typtype, 'element', r.element,
        'domain', (SELECT d.typname FROM pg_type d WHERE d.oid = r.oid AND d.typtype = 'd')) AS type FROM resolved r
      UNION ALL
      SELECT e.oid, json_build_object('name', e.typname, 'sql', format_type(e.oid, -1), 'kind', e.typtype, 'element', NULL)
      FROM elements e WHERE e.oid NOT IN (SELECT oid FROM resolved)
    ) AS all_types),
  'named_types', (SELECT coalesce(json_object_agg(typname, oid), '{}') FROM named),
  'tables', (SELECT coalesce(json_agg(json_build_object(
      'schema', w.nspname, 'name', w.relname, 'kind', w.relkind,
      'comment', obj_description(w.oid, 'pg_class'),
      'columns', (SELECT coalesce(json_agg(json_build_object('name', a.attname, 'type', a.atttypid, 'nullable', NOT a.attnotnull,
          'comment', col_description(w.oid, a.attnum), 'generated', a.attidentity = 'a' OR a.attgenerated <> '') ORDER BY a.attnum), '[]')
        FROM pg_attribute a WHERE a.attrelid = w.oid AND a.attnum > 0 AND NOT a.attisdropped),
      'changes', CASE WHEN w.relkind IN ('v', 'm') THEN pg_relation_is_updatable(w.oid, true) END,
      'unique', (SELECT coalesce(json_agg(json_build_object('name', i.relname, 'columns', (
          SELECT coalesce(json_agg(a.attname ORDER BY a.attnum), '[]') FROM pg_attribute a WHERE a.attrelid = w.oid AND a.attnum = ANY (x.indkey)
        )) ORDER BY i.relname), '[]')
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = w.oid AND x.indisunique),
      'keys', (SELECT coalesce(json_agg(json_build_object('primary', k.contype = 'p', 'columns', ${columnNames("w.oid", "k.conkey")}) ORDER BY k.conname), '[]')
        FROM pg_constraint k WHERE k.conrelid = w.oid AND k.contype IN ('p', 'u')),
      'foreign_keys', (SELECT coalesce(json_agg(json_build_object('name', k.conname, 'columns', ${columnNames("w.oid", "k.conkey")},
          'target', json_build_object('schema', tn.nspname, 'name', tc.relname), 'target_columns', ${columnNames("k.confrelid", "k.confkey")}) ORDER BY k.conname), '[]')
        FROM pg_constraint k JOIN pg_class tc ON tc.oid = k.confrelid JOIN pg_namespace tn ON tn.oid = tc.relnamespace
        WHERE k.conrelid = w.oid AND k.contype = 'f')
    )), '[]') FROM wanted w),
  'functions', (SELECT coalesce(json_agg(json_build_object(
      'schema', p.nspname, 'name', p.proname, 'volatility', p.provolatile, 'comment', obj_description(p.oid, 'pg_proc'),
      'arguments', (SELECT coalesce(json_agg(json_build_object('name', p.proargnames[a.position], 'type', a.type) ORDER BY a.position), '[]')
        FROM unnest(p.proargtypes) WITH ORDINALITY AS a(type, position)),
      'defaults', p.pronargdefaults, 'returns_set', p.proretset, 'return_type', p.prorettype, 'variadic', p.provariadic <> 0,
      'return_table', (SELECT json_build_object('schema', n.nspname, 'name', c.relname)
        FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE t.oid = p.prorettype)
    )), '[]') FROM called p)
)::text`;
