import { pino } from "pino";
import { expect, test } from "vitest";
import { Unavailable } from "../errors.ts";
import { Directory } from "./directory.ts";
import { DirectoryProblem } from "./directory-problems.ts";
import { entry, FakeDirectory, operations, type Request, result } from "./testing/fake-directory.ts";
import { settingsFor } from "./testing/fake-settings.ts";

const ids = ["first", "second", "third", "fourth"];

/** Bytes of a name with which the directory's answer exceeds the bound. */
const tooLong = 3_000_000;

/** A directory with the accounts of {@link ids}, except for `removed` ones. @param lengths length of an account's name; 0 closes the connection */
const directoryWith = (lengths: Readonly<Record<string, number>>, removed: readonly string[] = []) =>
  FakeDirectory.start((request, socket) => {
    if (request.operation === operations.bind) return [result(request, 0)];
    const id = idIn(request);
    if (id === undefined || lengths[id] === 0) return (socket.destroy(), []);
    if (removed.includes(id)) return [result(request, 0)];
    const attributes = { uid: [id], mail: [`${id}@example.net`], cn: ["n".repeat(lengths[id] ?? 3)] };
    return [entry(request, `uid=${id},dc=example`, attributes), result(request, 0)];
  });

const idIn = ({ text }: Request): string | undefined => ids.find((id) => text.includes(id));

/** Reads all accounts. @returns each account with whether it exists, the ids that the log names, and the error of the run */
async function readAll(directories: readonly FakeDirectory[], use: (id: string) => void = () => undefined) {
  const unreadable: (string | undefined)[] = [];
  const reasons: string[] = [];
  const log = pino(
    {},
    {
      write(line: string) {
        const { userId, err } = JSON.parse(line) as { userId?: string; err?: { message: string } };
        if (userId !== undefined) unreadable.push(userId);
        if (err !== undefined) reasons.push(err.message);
      },
    },
  );
  const found: [string, boolean][] = [];
  const error = await new Directory(settingsFor(directories), log)
    .lookUpAll(ids, async (id, account) => {
      use(id);
      found.push([id, account !== undefined]);
    })
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  return { found, unreadable, reasons, error };
}

const binds = ({ requests }: FakeDirectory) => requests.filter(({ operation }) => operation === operations.bind).length;

test("reads all accounts by one connection", async () => {
  await using directory = await directoryWith({}, ["third"]);
  const { found, unreadable, error } = await readAll([directory]);
  expect(error).toBeUndefined();
  expect(found).toEqual([
    ["first", true],
    ["second", true],
    ["third", false],
    ["fourth", true],
  ]);
  expect(unreadable).toEqual([]);
  expect(binds(directory)).toBe(1);
});

test("reads the accounts after one whose entry is too long, and logs its id", async () => {
  await using directory = await directoryWith({ second: tooLong }, ["third"]);
  await using other = await directoryWith({ second: tooLong }, ["third"]);
  const { found, unreadable, reasons, error } = await readAll([directory, other]);
  expect(error).toBeUndefined();
  expect(found).toEqual([
    ["first", true],
    ["third", false],
    ["fourth", true],
  ]);
  expect(unreadable).toEqual(["ldap-second"]);
  expect(reasons).toEqual([expect.stringContaining("the directory answers with more than 1024 KiB")]);
  expect([binds(directory), binds(other)]).toEqual([2, 0]);
});

test("ends when the entries of all accounts are too long", async () => {
  await using directory = await directoryWith(Object.fromEntries(ids.map((id) => [id, tooLong])));
  const { found, unreadable, error } = await readAll([directory]);
  expect(error).toBeUndefined();
  expect(found).toEqual([]);
  expect(unreadable).toEqual(ids.map((id) => `ldap-${id}`));
  expect(binds(directory)).toBe(ids.length);
});

// The bytes around the name are more than 40 and fewer than 150.
test.each([
  ["within the bound", -150, ids, []],
  ["beyond the bound in its last bytes", -40, ["first", "third", "fourth"], ["ldap-second"]],
])("an answer that is %s affects no other account", async (_size, more, read, named) => {
  await using directory = await directoryWith({ second: 1024 * 1024 + more });
  const { found, unreadable, error } = await readAll([directory]);
  expect(error).toBeUndefined();
  expect(found.map(([id]) => id)).toEqual(read);
  expect(unreadable).toEqual(named);
});

test("another server continues where the connection of the first one ended", async () => {
  await using directory = await directoryWith({ third: 0 });
  await using other = await directoryWith({});
  const { found, error } = await readAll([directory, other]);
  expect(error).toBeUndefined();
  expect(found.map(([id]) => id)).toEqual(ids);
});

test("a new connection continues after one that the server ended", async () => {
  const searches = new Map<unknown, number>();
  await using directory = await FakeDirectory.start((request, socket) => {
    const count = (searches.get(socket) ?? 0) + (request.operation === operations.search ? 1 : 0);
    searches.set(socket, count);
    if (count > 2) return (socket.destroy(), []);
    const id = idIn(request);
    if (id === undefined) return [result(request, 0)];
    return [entry(request, `uid=${id},dc=example`, { uid: [id], mail: [`${id}@example.net`] }), result(request, 0)];
  });
  const { found, error } = await readAll([directory]);
  expect(error).toBeUndefined();
  expect(found.map(([id]) => id)).toEqual(ids);
  expect(binds(directory)).toBe(2);
});

test("a directory that becomes unavailable ends the run", async () => {
  await using directory = await directoryWith({ second: tooLong, third: 0 });
  const { found, unreadable, error } = await readAll([directory]);
  expect(error).toBeInstanceOf(Unavailable);
  expect(found.map(([id]) => id)).toEqual(["first"]);
  expect(unreadable).toEqual(["ldap-second"]);
});

test("an unreadable second account ends no run, and an outage of the database does", async () => {
  await using directory = await directoryWith({});
  const failing = (error: Error) =>
    readAll([directory], (id) => {
      if (id === "second") throw error;
    });
  const held = await failing(new Unavailable("directory", new DirectoryProblem("the entry is too long")));
  expect(held).toMatchObject({ error: undefined, unreadable: ["ldap-second"] });
  expect(held.found.map(([id]) => id)).toEqual(["first", "third", "fourth"]);
  const outage = await failing(new Unavailable("database"));
  expect(outage.error).toMatchObject({ reason: "database" });
  expect(outage.found.map(([id]) => id)).toEqual(["first"]);
});

test("a login to a directory that ignores the size limit names the filter of accounts", async () => {
  await using directory = await FakeDirectory.start((request) => {
    const accounts = Array.from({ length: 8000 }, (_, index) =>
      entry(request, `uid=u${index},dc=example`, {
        uid: [`u${index}`],
        mail: [`u${index}@example.net`],
        cn: ["n".repeat(200)],
      }),
    );
    return [...(request.operation === operations.search ? [Buffer.concat(accounts)] : []), result(request, 0)];
  });
  const attempt = { username: "u1", password: "secret", asker: "192.0.2.1", owner: async () => undefined };
  const login = new Directory(settingsFor([directory]), pino({ enabled: false })).authenticate(attempt);
  await expect(login).rejects.toMatchObject({
    reason: "directory",
    cause: { message: expect.stringMatching(/search for accounts.*more than 1024 KiB; narrow LDAP_USER_FILTER/) },
  });
});

test("an answer of thousands of tiny messages does not overflow the stack", async () => {
  await using directory = await FakeDirectory.start((request) => {
    if (request.operation !== operations.search) return [result(request, 0)];
    // References to other servers, each without an address.
    const references = Buffer.alloc(7 * 20_000, Buffer.from([0x30, 5, 2, 1, request.id, 0x73, 0]));
    return [Buffer.concat([references, result(request, 0)])];
  });
  const asking = new Directory(settingsFor([directory]), pino({ enabled: false }));
  await expect(asking.lookUp("ada")).resolves.toBeUndefined();
});
