import { expect, test } from "vitest";
import type { AuditTrail } from "../audit/audit-trail.ts";
import type { Database, Statement } from "../database.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { type Account, Accounts, emailAddress } from "./accounts.ts";

test.each(["admin@example.net", "First.Last+tag@sub.example.org"])("accepts %s as an e-mail address", (value) => {
  expect(emailAddress.safeParse(value).success).toBe(true);
});

test.each([
  "",
  "admin",
  "@example.net",
  "a@b",
  "a b@example.net",
  "ä@example.net",
  "a@exämple.net",
  "a\0@example.net",
  `${"a".repeat(250)}@example.net`,
])("rejects %j as an e-mail address", (value) => {
  expect(emailAddress.safeParse(value).success).toBe(false);
});

test.each([
  ["a new organisation", [{ id: "acme" }], ["The organisation acme is new. `users organisations` lists all."]],
  ["a known organisation", [], []],
])("says that %s of an account is new", async (_, added, sentences) => {
  const said: string[] = [];
  const query = async ({ text }: Statement) => (text.startsWith("insert into auth.organisations") ? added : []);
  const parts = { database: { query }, sessions: {}, audit: { record: async () => undefined } } as unknown as {
    database: Database;
    sessions: SessionStore;
    audit: AuditTrail;
  };
  const accounts = new Accounts({ ...parts, notify: (sentence) => said.push(sentence) });
  await accounts.setRole(
    { id: "a", provider: "local", role: "viewer", organisation: null } as Account,
    "tenant",
    "acme",
  );
  expect(said).toEqual(sentences);
});
