import { expect, test } from "vitest";
import { commandMessage, MessageReader, PostgresError, statementMessages } from "./messages.ts";

/** Types and bodies of the messages in a buffer; both directions use the same framing. */
function messages(buffer: Buffer): { type: string; body: string }[] {
  const found: { type: string; body: string }[] = [];
  const reader = new MessageReader({
    message: (type, data, start, end) =>
      found.push({ type: String.fromCharCode(type), body: data.toString("utf8", start, end) }),
    longMessage: () => expect.unreachable("the buffer is whole"),
  });
  reader.take(buffer);
  return found;
}

test("a single-use statement is parsed without a name, bound, executed and synchronised", () => {
  const buffer = statementMessages([{ name: "", parse: "SELECT $1", close: undefined, values: ["ä"] }]);
  expect(messages(buffer)).toEqual([
    { type: "P", body: "\0SELECT $1\0\0\0" },
    { type: "B", body: "\0\0\0\0\0\u0001\0\0\0\u0002ä\0\0" },
    { type: "E", body: "\0\0\0\0\0" },
    { type: "S", body: "" },
  ]);
});

test("a prepared statement is only bound; null has no value", () => {
  const [bind, ...rest] = messages(
    statementMessages([{ name: "rq1", parse: undefined, close: undefined, values: [null, "{}"] }]),
  );
  expect(bind?.type).toBe("B");
  expect(bind?.body.startsWith("\0rq1\0\0\0\0\u0002")).toBe(true);
  expect(bind?.body.endsWith("\0\0\0\u0002{}\0\0")).toBe(true);
  expect(rest.map(({ type }) => type)).toEqual(["E", "S"]);
});

test("closes an evicted statement before it prepares another", () => {
  const found = messages(statementMessages([{ name: "rq2", parse: "SELECT 1", close: "rq1", values: [] }]));
  expect(found.slice(0, 2)).toEqual([
    { type: "C", body: "Srq1\0" },
    { type: "P", body: "rq2\0SELECT 1\0\0\0" },
  ]);
});

test("statements that share a turn are synchronised once, at the end", () => {
  const statement = (name: string, value: string) => ({ name, parse: undefined, close: undefined, values: [value] });
  const found = messages(statementMessages([statement("rq1", "a"), statement("rq2", "b")]));
  expect(found.map(({ type }) => type)).toEqual(["B", "E", "B", "E", "S"]);
  expect(found.map(({ body }) => /rq\d/.exec(body)?.[0])).toEqual(["rq1", undefined, "rq2", undefined, undefined]);
});

test("a command is one message", () => {
  expect(messages(commandMessage("ROLLBACK"))).toEqual([{ type: "Q", body: "ROLLBACK\0" }]);
});

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
