import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadModule, parseSync } from "libpg-query";
import { beforeAll, expect, test } from "vitest";
import { repository } from "../harness/repository.ts";
import { listedFiles } from "./listed-files.ts";

const files = listedFiles("*.sql");

/** The text with a literal in place of each quoted variable of psql, such as :'own'. */
const withoutVariables = (text: string): string => text.replaceAll(/(?<!:):'\w+'/g, "''");

beforeAll(loadModule);

test.each(files)("the parser of Postgres accepts %s", (file) => {
  expect(() => parseSync(withoutVariables(readFileSync(join(repository, file), "utf8")))).not.toThrow();
});

test.each(["select from where", "create table t (a text,);", "select :own"])("it rejects %j", (text) => {
  expect(() => parseSync(withoutVariables(text))).toThrow("syntax error");
});
