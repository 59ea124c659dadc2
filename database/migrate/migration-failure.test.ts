import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { migrationFailure } from "./migration-failure.ts";

/** The error that Postgres reports for the text at which it stops. */
function failure(content: string, stop: string, message = `syntax error at or near "${stop}"`): string {
  const error = new DatabaseError(message, message.length, "error");
  error.code = "42601";
  error.internalQuery = content;
  error.internalPosition = String(Array.from(content.slice(0, content.lastIndexOf(stop))).length + 1);
  return migrationFailure(error, content);
}

test("names the line, also after characters of two UTF-16 units", () => {
  expect(failure("-- 🛰 and 🛰\ncreate table a (i int);\ncreate tabel b (i int);\n", "tabel")).toBe(
    'syntax error at or near "tabel" (line 3)',
  );
});

test.each([
  ["\\restrict of pg_dump", "-- dump\n\n\\restrict x\n", "\\", "(line 3). It is a command of psql, not SQL. Remove"],
  ["\\connect", "\\connect other\n", "\\", "(line 1). It is a command of psql"],
  ["a variable", "create table :schema.a (i int);", ":", "(line 1). It is a variable of psql"],
  ["a quoted variable", "insert into a values (:'name');", ":", "It is a variable of psql"],
  [
    "rows of copy",
    "create table a (i int);\nCOPY public.a (i) FROM stdin;\n1\n\\N\n",
    "1",
    "(line 3). Rows after copy",
  ],
  [
    "rows of copy with null first",
    "create table a (i text);\nCOPY a (i) FROM stdin;\n\\N\tx\n",
    "\\N",
    "(line 3). Rows after copy",
  ],
  ["rows of copy with a colon first", "COPY a (i) FROM stdin;\n:x\n", ":", "(line 2). Rows after copy"],
])("gives a remedy for %s", (_name, content, stop, reason) => {
  expect(failure(content, stop)).toContain(reason);
});

test("gives no remedy of copy for an error elsewhere", () => {
  expect(failure("copy a to stdout;\ncreate tabel b (i int);", "tabel")).not.toContain("copy");
});

test("says that a file needs no transaction commands", () => {
  const error = new DatabaseError("EXECUTE of transaction commands is not implemented", 1, "error");
  error.code = "0A000";
  expect(migrationFailure(error, "begin;")).toContain("Remove begin, commit and rollback");
});

test.each([
  ["0A000", "cannot COPY to/from client in PL/pgSQL", "write insert statements, as pg_dump --inserts does"],
  ["25001", "CREATE INDEX CONCURRENTLY cannot run inside a transaction block", "each file is a transaction"],
  ["25001", "CREATE INDEX CONCURRENTLY cannot be executed from a function", "Remove concurrently"],
  ["25001", "VACUUM cannot run inside a transaction block", "npm run psql -- -c"],
])("gives a remedy for an error without a place in the file: %s %s", (code, message, remedy) => {
  const error = new DatabaseError(message, 1, "error");
  error.code = code;
  expect(migrationFailure(error, "-- any")).toContain(`${message}. `);
  expect(migrationFailure(error, "-- any")).toContain(remedy);
});

test("names the line after a statement that sets client_encoding", () => {
  const content = "set client_encoding = 'LATIN1';\n-- Größe, Ã©\nselect * from nothing;\n";
  const error = new DatabaseError('relation "nothing" does not exist', 1, "error");
  error.code = "42P01";
  // The client reads the bytes of Latin 1 as UTF-8.
  error.internalQuery = Buffer.from(content, "latin1").toString("utf8");
  error.internalPosition = String(content.indexOf("nothing") + 1);
  expect(error.internalQuery).not.toBe(content);
  expect(migrationFailure(error, content)).toBe('relation "nothing" does not exist (line 3)');
});

test("keeps the message of an error without a place in the file", () => {
  const error = new DatabaseError("division by zero", 1, "error");
  error.internalQuery = "select f()";
  error.internalPosition = "8";
  expect(migrationFailure(error, "select 1/0")).toBe("division by zero");
});
