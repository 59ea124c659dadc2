import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import {
  entry,
  FakeDirectory,
  operations,
  type Request,
  result,
} from "@routeql/auth-sidecar/ldap/testing/fake-directory";
import { withDefaults } from "@routeql/infra/settings/reading/complete";
import type { GivenSettings } from "@routeql/infra/settings/list";
import { expect, test } from "vitest";
import { askDirectory, directoryPhase, lookupWith } from "./directory-phase.ts";

const dn = "uid=ada,dc=example,dc=net";
const ada = (request: Request): Buffer =>
  entry(request, dn, {
    entryUUID: ["7"],
    mail: ["ada@example.net"],
    cn: ["Ada"],
    memberOf: ["cn=noc,dc=example,dc=net"],
  });

function configuration(port: number, changes: GivenSettings = {}) {
  const given: GivenSettings = {
    // The name is known to no name server.
    ldapUrl: `ldap://directory.example.net:${port}`,
    ldapPlaintext: true,
    extraHosts: "directory.example.net=127.0.0.1",
    ldapUserBase: "dc=example,dc=net",
    ldapRoles: "operator: cn=noc,dc=example,dc=net",
    ...changes,
  };
  return { given, plain: withDefaults(given, "site") };
}

const directory = (bind: number, search: (request: Request) => readonly Buffer[]): Promise<FakeDirectory> =>
  FakeDirectory.start((request) => {
    if (request.operation === operations.bind) return [result(request, bind)];
    return request.operation === operations.search ? search(request) : [];
  });

/** Answers searches for accounts, and for a group with the given answer. */
const groupAnswers =
  (answer: (request: Request) => readonly Buffer[]) =>
  (request: Request): readonly Buffer[] => {
    if (!request.text.includes("entryUUID")) return answer(request);
    return request.text.includes("cn=noc") ? [result(request, 0)] : [ada(request), result(request, 0)];
  };

test("a directory with accounts and groups has no problem", async () => {
  await using working = await directory(
    0,
    groupAnswers((request) => [entry(request, "cn=noc,dc=example,dc=net", { cn: ["noc"] }), result(request, 0)]),
  );
  expect(await askDirectory(configuration(working.port))).toEqual({ problems: [], warnings: [] });
});

test("a search account that is refused is a problem with its setting", async () => {
  await using refusing = await directory(49, () => []);
  const { problems } = await askDirectory(configuration(refusing.port));
  expect(problems).toEqual([expect.stringMatching(/invalidCredentials \(49\); correct LDAP_BIND_DN/)]);
});

test("a base without accounts is a problem with its setting", async () => {
  await using empty = await directory(0, (request) => [result(request, 32)]);
  const { problems } = await askDirectory(configuration(empty.port));
  expect(problems).toEqual([expect.stringMatching(/LDAP_USER_BASE dc=example,dc=net does not exist/)]);
});

test("a group that the directory does not have is a warning with its line", async () => {
  await using working = await directory(
    0,
    groupAnswers((request) => [result(request, 32)]),
  );
  const { problems, warnings } = await askDirectory(configuration(working.port));
  expect(problems).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(/line 1 of LDAP_ROLES names the group cn=noc,dc=example,dc=net/)]);
});

test("a server that this machine does not reach is a warning", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  expect(await askDirectory(configuration(port))).toEqual({
    problems: [],
    warnings: [
      expect.stringMatching(
        /LDAP_URL: ldap:\/\/directory.example.net:\d+ could not be asked from this machine: .*ECONNREFUSED/,
      ),
    ],
  });
});

test("the phase fails with the problems, or continues where a person says so", async () => {
  await using refusing = await directory(49, () => []);
  const context = { say: () => undefined } as never;
  const [strict, unchecked] = [false, true].map((each) => directoryPhase(configuration(refusing.port), each));
  await expect(async () => strict!.work(context)).rejects.toMatchObject({
    lastLines: [expect.stringContaining("LDAP_BIND_DN")],
  });
  expect(await unchecked!.work(context)).toBe("does not accept the settings");
  expect(unchecked!.result).toEqual([expect.stringContaining("LDAP_BIND_DN")]);
});

test("own names come before name servers, in the form that the caller asks for", () => {
  const lookup = lookupWith("directory.example.net=192.0.2.7,directory.example.net=2001:db8::7");
  const answers: unknown[] = [];
  lookup("Directory.example.net", { all: true }, (_error, found) => answers.push(found));
  lookup("directory.example.net", {}, (_error, ...found) => answers.push(found));
  expect(answers).toEqual([
    [
      { address: "192.0.2.7", family: 4 },
      { address: "2001:db8::7", family: 6 },
    ],
    ["192.0.2.7", 4],
  ]);
});
