/** SQL and metadata of a project of a given size: each role reads the rows that its session selects. */
export interface Project {
  readonly sql: string;
  /** Merged metadata as JSON, which is valid YAML. */
  readonly metadata: string;
}

const columns = ["id", "owner", "title", "status", "amount", "note", "created_at"];

/** A chain of tables, each with a reference to the previous one; permissions to read and to write for every role. */
export function projectOf(tables: number, roles: number, rows: number): Project {
  const numbers = Array.from({ length: tables }, (_none, index) => index);
  const sql = numbers.map(
    (n) =>
      `create table item_${n} (id int primary key, owner text not null, title text, status text, amount numeric, note text, created_at timestamptz not null default '2026-01-01'${n === 0 ? "" : `, parent_id int references item_${n - 1}`});
       insert into item_${n} (id, owner, title, status, amount, note${n === 0 ? "" : ", parent_id"}) select g, 'owner ' || g % 3, 'title ' || g, 'open', g * 1.5, 'note ' || g${n === 0 ? "" : ", g"} from generate_series(1, ${rows}) g;`,
  );
  const own = { owner: { _eq: "X-Hasura-User-Id" } };
  const metadata = {
    version: 3,
    sources: [
      {
        name: "default",
        kind: "postgres",
        configuration: { connection_info: { database_url: { from_env: "BENCH_DATABASE" } } },
        tables: numbers.map((n) => ({
          table: { schema: "public", name: `item_${n}` },
          object_relationships: n === 0 ? [] : [{ name: "parent", using: { foreign_key_constraint_on: "parent_id" } }],
          select_permissions: Array.from({ length: roles }, (_none, role) => ({
            role: `role_${role}`,
            permission: {
              columns: columns.slice(0, 3 + (role % 5)),
              filter: role % 2 === 0 ? own : { _or: [own, { status: { _eq: "shared" } }] },
              limit: 100,
            },
          })),
          update_permissions: Array.from({ length: roles }, (_none, role) => ({
            role: `role_${role}`,
            permission: { columns: ["title"], filter: own, check: own },
          })),
        })),
      },
    ],
  };
  return { sql: sql.join("\n"), metadata: JSON.stringify(metadata) };
}
