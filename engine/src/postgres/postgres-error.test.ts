import { expect, test } from "vitest";
import { PostgresError } from "./postgres-error.ts";

test("parses the fields of an error response", () => {
  const error = new PostgresError(Buffer.from('SERROR\0C22P02\0Minvalid input: "ä"\0Dthe detail\0Hthe hint\0\0'));
  expect(error).toMatchObject({
    name: "PostgresError",
    code: "22P02",
    message: 'invalid input: "ä"',
    detail: "the detail",
    hint: "the hint",
  });
});

test("a response without fields is an internal error", () => {
  expect(new PostgresError(Buffer.from("\0"))).toMatchObject({
    code: "XX000",
    message: "unknown failure",
    detail: undefined,
  });
});
