import { expect, test } from "vitest";
import { sqlStatements } from "./sql-statements.ts";
import { unsuitedProblem } from "./unsuited-statements.ts";

test("splits statements as psql does", () => {
  const text = [
    "-- a; comment",
    "create table a (t text default 'it''s; fine', \"odd;\"\"name\" int); /* one; /* nested; */ ; */",
    "create function f() returns int language sql as $body$ select 1; $$;$$ $body$;",
    "create or replace function g(n int) returns int",
    "  begin atomic select case when n > 1 then 1 end; select 2; end;",
    "select e'a\\'b;', E'\\\\', a$b$, $1;insert into é$x values ($ü$;$ü$);",
    "create rule r as on insert to a do (delete from a; delete from a)",
  ].join("\n");
  expect(
    sqlStatements(text).statements.map(({ line, words }) => `${line} ${words.split(" ").slice(0, 3).join(" ")}`),
  ).toEqual([
    "2 CREATE TABLE A",
    "3 CREATE FUNCTION F",
    "4 CREATE OR REPLACE",
    "6 SELECT '', '',",
    "6 INSERT INTO É$X",
    "7 CREATE RULE R",
  ]);
  expect(unsuitedProblem(text)).toBeUndefined();
});

test.each([
  [
    "\\restrict x\n\nset client_encoding = 'UTF8';",
    "in line 1 that no migration can run: \\RESTRICT X",
    "a command of psql",
  ],
  [
    "-- x\nBEGIN;\ncreate table a ();\nCOMMIT;",
    "in line 2 that no migration can run: BEGIN. ",
    "each file is a transaction",
  ],
  ["create table a ();\nend;", "in line 2 that no migration can run: END. ", "Remove begin, commit"],
  ["COPY public.a (i) FROM stdin;\nit's\n\\.\n", "in line 1", "write insert statements"],
  ["create unique index concurrently i on a (b)", "in line 1", "Remove concurrently"],
  ["\n\nvacuum (analyse) a;", "in line 3", "npm run psql"],
  ["reindex (verbose) table concurrently a", "in line 1", "Remove concurrently"],
  ["cluster; select 1", "in line 1", "npm run psql"],
  ["create database x;", "in line 1", "each file is a transaction"],
  ["select 'a;\nselect 1;\n", "has no end of ' that begins in line 1", ""],
  ["select 1;\ndo $a$ begin end $b$;", "has no end of $a$ that begins in line 2", ""],
  ["/* /* */", "has no end of /* that begins in line 1", ""],
])("names the line of a statement that no migration can run: %j", (text, place, remedy) => {
  expect(unsuitedProblem(text)).toContain(place);
  expect(unsuitedProblem(text)).toContain(remedy);
});

test.each([
  "refresh materialized view concurrently m; reindex table a; cluster a using i; discard temp",
  "do $$ begin perform 1; commit; end $$",
  "select 'vacuum'; comment on table a is 'begin'",
  "create table begin_times (start int); alter table a alter b set default 'copy a from stdin'",
  "",
])("accepts %j", (text) => {
  expect(unsuitedProblem(text)).toBeUndefined();
});
