import type { Spending } from "../../cost/limits.ts";
import { resolveParameters } from "../plan/prepared-plan.ts";
import type { Session } from "../../interface.ts";
import { always, type Parameter } from "../../sql/expression.ts";
import { WritePrinter } from "./print.ts";
import type { Insert, Write } from "./write.ts";

/**
 * As in Hasura, a mutation needs the session variables of all its root fields before its first change, which may take the next value of
 * a sequence, and also for changes that affect nothing.
 * @throws EngineError if one is missing
 */
export function requireSession(writes: readonly Write[], session: Session, spending: Spending): void {
  // One limit for all fields, as for their statements.
  const own = spending.afresh();
  for (const write of writes) {
    const parameters = parametersOf(write, own);
    resolveParameters(
      parameters.filter(({ source }) => source.kind === "session"),
      session,
      {},
    );
  }
}

function parametersOf(write: Write, spending: Spending): readonly Parameter[] {
  if (write.kind === "function") return write.statement.parameters;
  const printer = new WritePrinter(spending);
  const presets: Parameter[] = [];
  if (write.kind === "insert")
    for (const insert of insertsOf(write.insert).values()) {
      printer.insert(insert, [new Map()]);
      presets.push(...insert.permission.presets.map(({ parameter }) => parameter));
    }
  else if (write.kind === "delete") printer.delete(write.target, write.where);
  else {
    // Each batch contains the filter of the permission.
    const none = { changes: [], where: write.target.update?.filter ?? always };
    for (const batch of write.batches.length === 0 ? [none] : write.batches) printer.update(write.target, batch);
  }
  const { table } = write.kind === "insert" ? write.insert.target : write.target;
  printer.show(table, "{}", 0, write.output);
  return [...presets, ...printer.parameters];
}

/** An insert into each table of an insert and its related rows. */
function insertsOf(insert: Insert, found = new Map<string, Insert>()): ReadonlyMap<string, Insert> {
  const key = `${insert.target.table.key} ${insert.conflict === undefined}`;
  if (!found.has(key)) found.set(key, insert);
  for (const { related } of insert.rows) for (const { insert: below } of related) insertsOf(below, found);
  return found;
}
