import { expect, test } from "vitest";
import { AdministrationError, parseCommand } from "./command.ts";

const readPassword = () => Promise.resolve("");

test("splits a command line into subject, words and options", () => {
  expect(parseCommand(["users", "add", "a@example.net", "--role", "viewer", "--json"], readPassword)).toMatchObject({
    subject: "users",
    words: ["add", "a@example.net"],
    options: { role: "viewer", json: true, help: false, provider: "local" },
  });
});

test.each(["--help", "users --help", "users add -h", "nothing --help"])("%j asks for help", (line) => {
  expect(parseCommand(line.split(" "), readPassword)).toMatchObject({ subject: undefined, options: { help: true } });
});

test.each([
  ["", "which command? See --help"],
  ["user list", "user is no command; see --help"],
  ["users", "which command? users has list, show, add, role,"],
  ["users lsit", "users lsit is no command; see --help"],
  ["users constructor", "users constructor is no command; see --help"],
  ["users list all", "all is one word too many; usage: users list"],
  ["users show a@example.net b@example.net", "b@example.net is one word too many; usage: users show ACCOUNT"],
  [
    "users role a@example.net viewer analyst",
    "analyst is one word too many; usage: users role ACCOUNT ROLE [--organisation ORG] [--new-organisation ORG]",
  ],
  ["keys list --role viewer", "keys list takes no --role; usage: keys list"],
  ["keys rotate now", "now is one word too many; usage: keys rotate"],
  [
    "users disable a@example.net --organisation x",
    "users disable takes no --organisation; usage: users disable ACCOUNT",
  ],
  [
    "users add a@example.net --role viewer --provider ldap",
    "users add takes no --provider; usage: users add EMAIL --role ROLE",
  ],
  ["users list --password x", "Unknown option '--password'"],
  ["users add --role", "Option '--role <value>' argument missing"],
  ["users list --json=yes", "Option '--json' does not take an argument"],
  ["users show a@example.net --provider github", "--provider must be local or ldap"],
])("rejects %j and suggests a correction", (line, sentence) => {
  const refused = () => parseCommand(line.split(" ").filter(Boolean), readPassword);
  expect(refused).toThrow(AdministrationError);
  expect(refused).toThrow(sentence);
});
