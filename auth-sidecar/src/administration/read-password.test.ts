import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { AdministrationError } from "./command.ts";
import { checkedPassword, readNewPassword } from "./read-password.ts";

const piped = (...chunks: string[]) =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk))) as unknown as NodeJS.ReadStream;

test("reads the password from standard input without one trailing newline", async () => {
  expect(await readNewPassword(piped("correct horse", " battery\n"))).toBe("correct horse battery");
  expect(await readNewPassword(piped(" correct horse battery \r\n"))).toBe(" correct horse battery ");
  expect(await readNewPassword(piped("correct horse battery\n\n"))).toBe("correct horse battery\n");
});

test.each(["", "short", "password1234", "aaaaaaaaaaaaaaaa", "x7".repeat(600)])(
  "rejects %j without quoting it",
  (password) => {
    expect(() => checkedPassword(password)).toThrow(AdministrationError);
  },
);
