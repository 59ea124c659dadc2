import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Subject, usage, verbs } from "@routeql/auth-sidecar/administration/command";
import { explain, Failure } from "@routeql/host/failure";
import Docker from "dockerode";
import { expect, test } from "vitest";
import { asksForPassword, keys, sidecarContainer, users } from "./administration.ts";
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

interface Engine extends AsyncDisposable {
  readonly docker: Docker;
  readonly asked: string[];
}

/** A fake engine that answers every request with these containers. */
async function engine(containers: readonly object[]): Promise<Engine> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(decodeURIComponent(request.url ?? ""));
    response.setHeader("content-type", "application/json").end(JSON.stringify(containers));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    docker: new Docker({ host: "127.0.0.1", port, protocol: "http" }),
    asked,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

async function containerRefusal(stack: string, docker: Docker): Promise<Failure> {
  const error: unknown = await sidecarContainer(stack, docker).catch((reason: unknown) => reason);
  if (error instanceof Failure) return error;
  throw new Error("It was not refused.", { cause: error });
}

test("finds the container by its labels, independent of its name", async () => {
  await using given = await engine([{ Id: "abc", State: "running" }]);
  expect((await sidecarContainer("prod", given.docker)).id).toBe("abc");
  for (const label of ["com.routeql.stack=prod", "com.routeql.service=auth-sidecar", "com.routeql.run=service"])
    expect(given.asked[0]).toContain(label);
});

test("reports a stack that is not running, with the command that starts it", async () => {
  await using given = await engine([]);
  expect(await containerRefusal("prod", given.docker)).toMatchObject({
    message: "The stack prod is not up",
    remedy: "run `npm run up -- --stack prod`.",
  });
  expect(await containerRefusal("local", given.docker)).toMatchObject({ remedy: "run `npm run up`." });
});

test("reports a stopped sidecar", async () => {
  await using given = await engine([{ Id: "abc", State: "exited" }]);
  expect((await containerRefusal("local", given.docker)).message).toBe(
    "The auth sidecar of the stack local does not run (it is exited)",
  );
});
