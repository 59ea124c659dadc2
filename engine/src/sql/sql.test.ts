import { expect, expectTypeOf, test } from "vitest";
import type { Run } from "../execution/database/database.ts";
import type { Connection, Statement } from "../postgres/connection.ts";
import type { Parameter } from "./expression.ts";
import { argument, finalText, identifier, integer, literal, place, type Sql, sql, trusted } from "./sql.ts";

test("neither the database nor the tag accepts a plain string", () => {
  expectTypeOf<string>().not.toExtend<Sql>();
  expectTypeOf<"SELECT 1">().not.toExtend<Sql>();
  expectTypeOf<Run["text"]>().toEqualTypeOf<Sql>();
  expectTypeOf<Statement["text"]>().toEqualTypeOf<Sql>();
  expectTypeOf<Connection["command"]>().parameters.toEqualTypeOf<[Sql]>();
  expectTypeOf<Parameter["type"]>().toEqualTypeOf<Sql>();
  const name: string = "a";
  // @ts-expect-error an unquoted name
  void sql`SELECT ${name}`;
  // @ts-expect-error a template of strings
  const text: Sql = `SELECT ${name}`;
  expect(sql`SELECT ${identifier(name)}`).toBe('SELECT "a"');
  expect(text).toBe("SELECT a");
});

test("quotes names and constants, and rejects other text than digits", () => {
  expect(identifier('a"b')).toBe('"a""b"');
  expect(literal("it's")).toBe("'it''s'");
  expect(integer("-12")).toBe("-12");
  expect(() => integer("1; drop table a")).toThrow("is not an integer");
});

test("no text becomes a parameter's place", () => {
  const mark = place(1).slice(0, 1);
  const text = sql`${identifier(`${mark}1${mark}`)} ${literal(`${mark}1${mark}`)} ${trusted(`${mark}1${mark}`)} ${place(2)}`;
  expect(finalText(text)).toBe(`"1" '1' 1 $2`);
  expect(finalText(sql`${place(1)}, ${place(2)}`, (position) => argument(position + 1))).toBe("$2, $3");
});
