import { type Formula, formulaOf, isAlwaysTrue, orders, rowsAt } from "../diff/formula.ts";
import { orderOf } from "../diff/implication.ts";
import { columnsHeldToSession, conditionText, mentionsSession } from "../metadata/conditions.ts";
import { columnsOf, listed, permissionsOf, type PlacedWrite, verbOf, writesOf } from "../metadata/walk.ts";
import {
  type Examined,
  type Found,
  inPermission,
  isCertainlyUnauthorized,
  isTrusted,
  isUnauthorized,
  type Rule,
} from "./rule.ts";

const conditions = {
  insert_permissions: ["check", "insert any row into"],
  update_permissions: ["filter", "update every row of"],
  delete_permissions: ["filter", "delete every row of"],
} as const;

/** The write permissions of roles that are not trusted. Only a backend with the admin secret can use those with backend_only. */
const byClients = (examined: Examined): readonly PlacedWrite[] =>
  writesOf(examined).filter(
    ({ role, permission }) => permission["backend_only"] !== true && !isTrusted(role, examined),
  );

const contains = (columns: unknown, column: string): boolean =>
  columns === "*" || (Array.isArray(columns) && columns.includes(column));

/** Whether a preset binds a row to the session. */
const isTied = ({ set }: PlacedWrite["permission"]): boolean =>
  Object.values(set ?? {}).some((value) => typeof value === "string" && /^x-hasura-/i.test(value));

/** The columns that lead from a row to its related row, or also to its related rows. */
const keysOf =
  (
    { table }: PlacedWrite,
    kinds: readonly ("object_relationships" | "array_relationships")[] = ["object_relationships"],
  ) =>
  (name: string): readonly string[] => {
    const { foreign_key_constraint_on: constraint, manual_configuration: manual } =
      kinds.flatMap((kind) => table[kind]).find((each) => each.name === name)?.using ?? {};
    if (Array.isArray(constraint)) return constraint;
    // A foreign key of another table refers to the key of this one.
    return constraint === undefined ? Object.keys(manual?.column_mapping ?? {}) : ["id"];
  };

/** Whether the check of an update binds a column to the session that the client cannot set, so that only rows of the session pass. */
function isHeldByCheck(write: PlacedWrite): boolean {
  const { kind, permission } = write;
  const held = columnsHeldToSession(
    permission["check"],
    keysOf(write, ["object_relationships", "array_relationships"]),
  );
  return (
    kind === "update_permissions" &&
    held.some(
      (column) => !contains(permission["columns"], column) && !Object.keys(permission["set"] ?? {}).includes(column),
    )
  );
}

export const everyRowWritable: Rule = {
  id: "every-row-writable",
  severity: "warning",
  finds:
    "a role that may insert, update or delete any row (an error for updates and deletions of a role without authentication)",
  why: "With an empty filter on a write permission, one user can change the rows of all other users.",
  remedy:
    "write a filter (for insert: a check) that binds the row to the session; list the role in trustedRoles where it may write every row",
  find: (examined) =>
    byClients(examined).flatMap((placed): Found[] => {
      const { kind, key, role, permission, at } = placed;
      const [condition, what] = conditions[kind];
      const value = permission[condition] ?? {};
      // A preset binds an inserted row to the session.
      if ((kind === "insert_permissions" && isTied(permission)) || isHeldByCheck(placed)) return [];
      if (!isAlwaysTrue(value, columnsOf(placed, examined))) return [];
      // A named role can belong to an administrator; a request without a token cannot.
      const severity = kind !== "insert_permissions" && isCertainlyUnauthorized(role, examined) ? "error" : "warning";
      const reason = `${role} may ${what} ${key}: the ${condition} ${conditionText(value)}`;
      return [{ at: [...at, condition], table: key, role, severity, reason }];
    }),
};

export const rowGivenAway: Rule = {
  id: "row-given-away",
  severity: "warning",
  finds: "an update permission with which a role can give its row to another user",
  why: "Hasura applies the filter only before the update. Without a check on the session, a client can set the column that binds the row to the session, and the row then belongs to another user or tenant.",
  remedy: "remove the column from the columns of the permission, or add a check with the condition of the filter",
  find: (examined) =>
    writesOf(examined).flatMap((placed): Found[] => {
      const { kind, key, role, permission, at } = placed;
      if (
        kind !== "update_permissions" ||
        isTrusted(role, examined) ||
        // A condition on the session may bind the row in a form that this rule cannot read.
        mentionsSession(permission["check"])
      )
        return [];
      const { columns } = permission;
      const set = Object.keys(permission["set"] ?? {});
      const free = columnsHeldToSession(permission["filter"], keysOf(placed)).filter(
        (column) => column !== "id" && !set.includes(column) && contains(columns, column),
      );
      if (free.length === 0) return [];
      const reason = `${role} may set ${listed(free)} of ${key}, by which its filter binds the row to the session, and no check binds the new row`;
      return [{ at: [...at, "columns"], table: key, role, name: free[0] ?? "", reason }];
    }),
};

export const anonymousWrite: Rule = {
  id: "anonymous-write",
  severity: "warning",
  finds: "a role without authentication that may insert, update or delete",
  why: "Any client on the network can write without limit, and the database has no record of the author.",
  remedy:
    "use an action or a backend service instead, or add an exception with the reason; set unauthorizedRole in hasura-checks.yaml if the role has another name than anonymous, public or guest",
  find: (examined) =>
    writesOf(examined)
      .filter(({ role, permission }) => isUnauthorized(role, examined) && permission["backend_only"] !== true)
      .map((placed) => {
        const { kind, role, key } = placed;
        return inPermission(placed, undefined, `${role} may ${verbOf(kind)} rows of ${key} without authentication`);
      }),
};

const beside =
  (write: PlacedWrite) => (other: { readonly role: string; readonly source: string; readonly key: string }) =>
    other.role === write.role && other.source === write.source && other.key === write.key;

/** Whether a formula compares with the session otherwise than by inequality, which selects the rows of all other sessions. */
function comparesWithSession(formula: Formula): boolean {
  if ("items" in formula) return formula.items.some(comparesWithSession);
  if ("where" in formula) return formula.kind === "some" && comparesWithSession(formula.where);
  if (formula.kind === "fact") return formula.holds && formula.text.includes("x-hasura-");
  return (
    formula.kind === "order" && formula.operand.kind === "session" && formula.orders !== (orders.less | orders.greater)
  );
}

export const writeWiderThanRead: Rule = {
  id: "write-wider-than-read",
  severity: "warning",
  finds: "a role that may update or delete rows that it may not read",
  why: "A client can change or delete rows that it cannot see, such as rows of other users.",
  remedy: "use the filter of the select permission for the write permission, or add an exception with the reason",
  find: (examined) =>
    byClients(examined).flatMap((write): Found[] => {
      const { kind, permission, role, key } = write;
      if (kind === "insert_permissions" || isHeldByCheck(write)) return [];
      const select = permissionsOf(examined).find(beside(write));
      const filter = permission["filter"] ?? {};
      if (select === undefined) return [];
      const scope = rowsAt(examined, write.path);
      const written = formulaOf(filter, scope);
      const order = orderOf(formulaOf(select.permission.filter, scope), written);
      const isBound = mentionsSession(select.permission.filter);
      const leavesSession = isBound && !comparesWithSession(written) && (order === "wider" || order === "other");
      if (!leavesSession && (isBound || order !== "wider")) return [];
      const which = isAlwaysTrue(filter, columnsOf(write, examined))
        ? "every row"
        : leavesSession
          ? "rows of other sessions"
          : "further rows";
      const reason = `${role} may ${verbOf(kind)} ${which} of ${key}, and may read only ${isBound ? "the rows of its session" : "those of its filter"}`;
      return [inPermission(write, "filter", reason)];
    }),
};

export const ownerPresetMissing: Rule = {
  id: "owner-preset-missing",
  severity: "warning",
  finds: "a role that may insert rows in the name of another user or tenant",
  why: "The role's other permissions recognise a row by a column that is compared with the session. A client that sets this column can create a row for any user.",
  remedy:
    "set the column by a preset (set: {COLUMN: X-Hasura-...}) and remove it from the columns, or bind it in the check",
  find: (examined) =>
    byClients(examined).flatMap((write): Found[] => {
      const { kind, permission, role, key } = write;
      if (kind !== "insert_permissions") return [];
      const { check, columns, set } = permission;
      if (mentionsSession(check)) return [];
      const presets = Object.keys(set ?? {});
      const free = ownerColumns(write, examined).filter(
        (column) => !presets.includes(column) && contains(columns, column),
      );
      if (free.length === 0) return [];
      const how = `with any ${listed(free)}, the column by which its other permissions select rows`;
      return [{ ...inPermission(write, "columns", `${role} may insert rows into ${key} ${how}`), name: free[0] ?? "" }];
    }),
};

/** Columns that the other permissions of the role on the table compare with the session. */
function ownerColumns(write: PlacedWrite, examined: Examined): readonly string[] {
  const reads = permissionsOf(examined)
    .filter(beside(write))
    .map(({ permission }) => permission.filter);
  const writes = writesOf(examined)
    .filter((other) => other.kind !== "insert_permissions" && beside(write)(other))
    .map(({ permission }) => permission["filter"]);
  return [...new Set([...reads, ...writes].flatMap((condition) => columnsHeldToSession(condition, keysOf(write))))];
}
