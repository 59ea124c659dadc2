import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unreadable } from "./unreadable.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "routeql-unreadable-"))));
afterAll(() => rm(folder, { recursive: true }));

const reasonOf = (work: Promise<unknown>): Promise<string | undefined> => work.then(() => "it can be read", unreadable);

test("explains why a file cannot be read", async () => {
  expect(await reasonOf(readFile(join(folder, "none")))).toBe("there is no such file");
  expect(await reasonOf(readFile(folder))).toBe("it is a directory");
  expect(await reasonOf(open(join(folder, "none", "more")))).toBe("there is no such file");
});

test("ignores errors that are not a file's, and a connection that breaks during reading", () => {
  expect(unreadable(new Error("the reason"))).toBeUndefined();
  expect(
    unreadable(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" })),
  ).toBeUndefined();
});
