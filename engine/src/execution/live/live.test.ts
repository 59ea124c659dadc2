import { expect, test, vi } from "vitest";
import { EngineError } from "../../errors.ts";
import type { ParameterSource } from "../../sql/expression.ts";
import { sql } from "../../sql/sql.ts";
import type { Database } from "../database/database.ts";
import { Cohorts } from "./live.ts";

test.each<[string, ParameterSource, number]>([
  ["checks the values of the client after a failed poll", { kind: "constant", text: "x" }, 2],
  ["needs no further statement without values of the client", { kind: "session", name: "x-hasura-user-id" }, 1],
])("%s", async (_title, source, statements) => {
  const run = vi.fn<Database["run"]>().mockRejectedValueOnce(new EngineError({ code: "data-exception", message: "x" }));
  run.mockResolvedValue([]);
  const cohorts = new Cohorts(() => ({ run }) as unknown as Database);
  const statement = { source: "default", template: sql`SELECT 1`, parameters: [{ source, type: sql`text` }] };
  const plan = {
    kind: "live",
    namespace: undefined,
    keys: ["a"],
    statement,
    cursor: undefined,
    cursorName: undefined,
    reads: { relations: new Map(), functions: new Map(), nativeQueries: new Set<string>() },
  } as const;
  const { cohortKey, parameters } = cohorts.add({ role: "viewer", isAdmin: false, variables: new Map() }, plan, ["x"]);
  const [answer] = await cohorts.poll(cohortKey, [parameters], () => ({}));
  expect(answer?.fault).toMatchObject({ code: "unexpected", message: "database query error" });
  expect(run).toHaveBeenCalledTimes(statements);
});
