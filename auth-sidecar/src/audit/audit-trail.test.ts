import { pino } from "pino";
import { expect, test } from "vitest";
import type { Queries, Statement } from "../database.ts";
import { AuditTrail } from "./audit-trail.ts";

const row = { id: "u1", provider: "local", email: "e", name: "n", role: "viewer", organisation_id: null };

/** A database in which the account's tokens from before a time are revoked. */
function trail(revokedBefore: number | null, margin: number) {
  const logged: string[] = [];
  const entries: object[] = [];
  const queries = {
    query: async (_statement: Statement, [json]: readonly unknown[]) => {
      entries.push(...(JSON.parse(json as string) as object[]));
      return [{ ...row, disabled: false, revoked_before: revokedBefore }];
    },
  } as unknown as Queries;
  const log = pino({ base: null }, { write: (line) => void logged.push(line) });
  return { audit: new AuditTrail(queries, log, margin), logged, entries };
}

test.each([
  ["without a change", null, 0, 1000],
  ["issued at the time from which on tokens are accepted", 1000, 0, 1000],
  ["issued at this time with a margin", 998, 2, 1000],
])("records a token %s", async (_title, revokedBefore, margin, issuedAt) => {
  const { audit, logged, entries } = trail(revokedBefore, margin);
  await expect(audit.recordToken("local", { event: "token", userId: "u1" }, issuedAt)).resolves.toMatchObject({
    id: "u1",
  });
  expect(entries).toMatchObject([{ user_id: "u1", outlives: issuedAt - margin }]);
  expect(logged).toHaveLength(1);
});

test.each([
  [1000, 0, 999, 1000],
  [1000.5, 0, 1000, 1001],
  [1000, 2, 1001, 1002],
])("names the time of a usable token: revoked before %d, margin %d, issued at %d", async (...given) => {
  const [revokedBefore, margin, issuedAt, usableFrom] = given;
  const { audit, logged } = trail(revokedBefore, margin);
  await expect(audit.recordToken("local", { event: "token", userId: "u1" }, issuedAt)).rejects.toMatchObject({
    status: 503,
    usableFrom,
  });
  expect(logged).toEqual([]);
});

test("reports no user for an account that the database does not return", async () => {
  const { audit, logged } = trail(null, 0);
  await expect(audit.recordToken("ldap", { event: "token", userId: "u2" }, 1000)).resolves.toBeUndefined();
  expect(logged).toEqual([]);
});
