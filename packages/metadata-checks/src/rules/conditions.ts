type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** What is known of the columns of the table that a condition is about. */
export interface Columns {
  /** Tells columns from relationships, of which an empty condition asks that there is something at the other end. */
  readonly isColumn: (name: string) => boolean;
  /** Whether a column holds a value in every row; only a database tells. */
  readonly isNeverNull: (name: string) => boolean;
}

/** Of a table that is not looked at further. */
const anyColumns: Columns = { isColumn: () => true, isNeverNull: () => false };

/**
 * Whether a condition of a permission lets every row through, whatever the row and the session hold: in Hasura what says nothing is
 * true, an empty comparison of a column too, and `_exists` asks nothing of the row.
 */
export function isAlwaysTrue(condition: unknown, columns: Columns): boolean {
  if (!isFields(condition)) return false;
  return Object.entries(condition).every(([key, value]) => {
    const each = (item: unknown) => isAlwaysTrue(item, columns);
    if (/^[_$]and$/.test(key)) return items(value).every(each);
    if (/^[_$]or$/.test(key)) return items(value).some(each);
    if (/^[_$]not$/.test(key)) return isAlwaysFalse(value, columns);
    // True as soon as the table has any row at all.
    if (/^[_$]exists$/.test(key)) return isFields(value) && isAlwaysTrue(value["_where"] ?? value["$where"], anyColumns);
    return columns.isColumn(key) && isFields(value) && Object.entries(value).every(([operator, wanted]) => isNullTest(operator) && wanted === false && columns.isNeverNull(key));
  });
}

const isNullTest = (operator: string): boolean => /^[_$]is_null$/.test(operator);

function isAlwaysFalse(condition: unknown, columns: Columns): boolean {
  if (!isFields(condition)) return false;
  return Object.entries(condition).some(([key, value]) => {
    const each = (item: unknown) => isAlwaysFalse(item, columns);
    if (/^[_$]and$/.test(key)) return items(value).some(each);
    if (/^[_$]or$/.test(key)) return items(value).every(each);
    if (/^[_$]not$/.test(key)) return isAlwaysTrue(value, columns);
    return columns.isColumn(key) && isFields(value) && Object.entries(value).some(([operator, wanted]) => isNullTest(operator) && wanted === true && columns.isNeverNull(key));
  });
}

/** Columns that a condition holds to a session variable in every case, by their names. */
export function columnsHeldToSession(condition: unknown): readonly string[] {
  if (!isFields(condition)) return [];
  return Object.entries(condition).flatMap(([key, value]) => {
    if (/^[_$]and$/.test(key)) return items(value).flatMap(columnsHeldToSession);
    const compared = isFields(value) ? (value["_eq"] ?? value["$eq"] ?? value["_in"] ?? value["$in"]) : value;
    return !/^[_$]/.test(key) && typeof compared === "string" && /^x-hasura-/i.test(compared) ? [key] : [];
  });
}

/** Whether a session variable stands anywhere in a value. */
export function mentionsSession(value: unknown): boolean {
  if (typeof value === "string") return /^x-hasura-/i.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(mentionsSession);
}

/** A condition as a finding quotes it. */
export function conditionText(condition: unknown): string {
  if (isFields(condition) && Object.keys(condition).length === 0) return "is empty";
  const text = JSON.stringify(condition);
  return `${text.length <= 80 ? text : `${text.slice(0, 77)}...`} holds for every row`;
}
