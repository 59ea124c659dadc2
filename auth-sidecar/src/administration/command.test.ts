import { expect, test } from "vitest";
import { AdministrationError } from "./administration-error.ts";
import { parseCommand } from "./command.ts";

const readPassword = () => Promise.resolve("");

test("a command line is taken apart into subject, words and options", () => {
  expect(parseCommand(["users", "add", "a@example.net", "--role", "viewer", "--json"], readPassword)).toMatchObject({
    subject: "users",
    words: ["add", "a@example.net"],
    options: { role: "viewer", json: true, help: false, provider: "local" },
  });
  expect(parseCommand([], readPassword).subject).toBeUndefined();
});

test.each([[["--password", "x"]], [["--role"]], [["--provider", "github"]]])("%j is refused", (words) => {
  expect(() => parseCommand(words, readPassword)).toThrow(AdministrationError);
});
