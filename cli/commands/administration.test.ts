import { type Subject, usage, verbs } from "@routeql/auth-sidecar/administration/command";
import { explain } from "@routeql/host/failure";
import { expect, test } from "vitest";
import { asksForPassword, keys, users } from "./administration.ts";
import { helpText } from "../foundation/command.ts";

const subjects: readonly Subject[] = ["users", "keys"];

test.each(subjects)("the commands of %s match those of the administration program", (subject) => {
  const known = [...usage.matchAll(new RegExp(`^ {2}${subject} (\\S+)`, "gm"))].map(([, verb = ""]) => verb);
  expect(known.length).toBeGreaterThan(2);
  expect(Object.keys(verbs[subject]).toSorted()).toEqual(known.toSorted());
});

test("the help text lists every command", () => {
  for (const [subject, { description }] of [
    ["users", users],
    ["keys", keys],
  ] as const) {
    for (const verb of Object.keys(verbs[subject]))
      expect(helpText(description)).toMatch(new RegExp(`^ {2}${verb}( |$)`, "m"));
  }
});

test.each([
  ["add a@example.net --role viewer", true],
  ["add a@example.net --role=tenant --organisation as64496 --json", true],
  ["password a@example.net", true],
  ["add a@example.net", false],
  ["add a@example.net --role King", false],
  ["add --role viewer", false],
  ["password", false],
  ["list", false],
  ["role a@example.net viewer", false],
  ["end-sessions a@example.net", false],
])("users %s: the prompt for a password is expected: %s", (line, expected) =>
  expect(asksForPassword("users", line.split(" "))).toBe(expected),
);

function refusal(subject: Subject, line: string): string {
  try {
    asksForPassword(subject, line.split(" ").filter(Boolean));
  } catch (error) {
    return explain(error);
  }
  throw new Error(`${subject} ${line} is not refused`);
}

test.each([
  ["users", "", "users: which command? One of list, show, add, "],
  ["users", "lsit", "did you mean list? `npm run users -- --help`"],
  ["users", "constructor", "unknown command constructor"],
  ["users", "list --rolle viewer", "users: unknown option '--rolle'"],
  ["users", "add a@example.net --role viewer --password secret", "users: unknown option '--password'"],
  ["users", "list --provider github", "--provider must be local or ldap"],
  ["users", "list foo", "users: foo is one word too many; usage: users list"],
  ["keys", "rotate now", "keys: now is one word too many; usage: keys rotate"],
  ["keys", "list --role viewer", "keys: keys list takes no --role; usage: keys list"],
  ["keys", "add", "keys: unknown command add"],
] as const)("%s %s fails and names the help command", (subject, line, expected) => {
  const text = refusal(subject, line);
  expect(text).toContain(expected);
  expect(text).toContain(`\`npm run ${subject} -- --help\``);
  expect(text).not.toContain("secret");
});
