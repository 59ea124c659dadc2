import type { Json } from "./json.ts";
import type { Qualified } from "./qualified-name.ts";

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** SQL of the command `insert` for one row. */
export function insertStatement(table: Qualified, row: Json): string {
  const columns = Object.keys(row);
  const values = columns.map((column) => {
    const value = row[column];
    if (value === null || value === undefined) return "NULL";
    // Postgres converts GeoJSON to a geometry only, and a geometry to a geography.
    if (typeof value === "object" && "type" in value && "coordinates" in value)
      return `ST_GeomFromGeoJSON(${literal(JSON.stringify(value))})`;
    return literal(typeof value === "string" ? value : JSON.stringify(value));
  });
  const target = `${quote(table.schema)}.${quote(table.name)}`;
  return columns.length === 0
    ? `INSERT INTO ${target} DEFAULT VALUES;`
    : `INSERT INTO ${target} (${columns.map(quote).join(", ")}) VALUES (${values.join(", ")});`;
}
