/** Spellings in the filters of permissions. */

const aliases: Readonly<Record<string, string>> = { _ne: "_neq", _cneq: "_cne" };

/** Operators between two columns, and the operators of a column and a value that compare alike. */
export const columnOperators: Readonly<Record<string, string>> = {
  _ceq: "_eq",
  _cne: "_neq",
  _cgt: "_gt",
  _clt: "_lt",
  _cgte: "_gte",
  _clte: "_lte",
};

/** The name of a session variable in lower case; undefined for another value. `REQ_USER_ID` is Hasura's earlier name of the user's id. */
export function sessionVariable(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (/^req_user_id$/i.test(value)) return "x-hasura-user-id";
  return /^x-hasura-/i.test(value) ? value.toLowerCase() : undefined;
}

/** Older metadata has `$eq` for `_eq`. */
export function operatorName(key: string): string {
  const name = key.startsWith("$") ? `_${key.slice(1)}` : key;
  return aliases[name] ?? name;
}
