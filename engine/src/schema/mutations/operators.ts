import { sql, type Sql } from "../../sql/sql.ts";
import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import { integerType, isNumeric, textType } from "../scalars.ts";

export interface UpdateOperator {
  readonly name: string;
  readonly description: string;
  readonly typeDescription: (table: string) => string;
  appliesTo(type: DatabaseType): boolean;
  /** Type of its argument, if it differs from that of the column. */
  readonly argument?: DatabaseType;
  readonly isList?: boolean;
  /** Whether the argument may be null; absent: if the column may. */
  readonly takesNull?: boolean;
  print(column: Sql, value: Sql): Sql;
}

const isJsonb = (type: DatabaseType): boolean => type.element === undefined && type.name === "jsonb";

const onJsonb = (
  name: string,
  description: string,
  rest: Pick<UpdateOperator, "print" | "argument" | "takesNull" | "isList">,
): UpdateOperator => ({ name, description, typeDescription: () => description, appliesTo: isJsonb, ...rest });

/** Hasura's update operators, in the order in which it reads them. */
export const updateOperators: readonly UpdateOperator[] = [
  {
    name: "set",
    description: "sets the columns of the filtered rows to the given values",
    typeDescription: (table) => `input type for updating data in table ${table}`,
    appliesTo: () => true,
    print: (_column, value) => value,
  },
  {
    name: "inc",
    description: "increments the numeric columns with given value of the filtered values",
    typeDescription: (table) => `input type for incrementing numeric columns in table ${table}`,
    appliesTo: isNumeric,
    print: (column, value) => sql`(${column} + ${value})`,
  },
  onJsonb("prepend", "prepend existing jsonb value of filtered columns with new jsonb value", {
    print: (column, value) => sql`(${value} || ${column})`,
  }),
  onJsonb("append", "append existing jsonb value of filtered columns with new jsonb value", {
    print: (column, value) => sql`(${column} || ${value})`,
  }),
  onJsonb(
    "delete_key",
    "delete key/value pair or string element. key/value pairs are matched based on their key value",
    { argument: textType, takesNull: true, print: (column, value) => sql`(${column} - ${value})` },
  ),
  onJsonb(
    "delete_elem",
    "delete the array element with specified index (negative integers count from the end). throws an error if top level container is not an array",
    { argument: integerType, takesNull: false, print: (column, value) => sql`(${column} - ${value})` },
  ),
  onJsonb(
    "delete_at_path",
    "delete the field or element with specified path (for JSON arrays, negative integers count from the end)",
    { argument: textType, takesNull: false, isList: true, print: (column, value) => sql`(${column} #- ${value})` },
  ),
];
