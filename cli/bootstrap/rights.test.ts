import { expect, test } from "vitest";
import { unwritable } from "./rights.mjs";

const failed = (code: string, path?: string): Error => Object.assign(new Error(`${code}: no`), { code, ...(path === undefined ? {} : { path }) });

test("a clone that this user may not write is said to be another user's", () => {
  const problem = unwritable(failed("EACCES", "/srv/routeql/.tools"), "/srv/routeql");
  expect(problem?.what).toBe("/srv/routeql/.tools cannot be written: this user may not write there");
  expect(problem?.remedy).toContain("use a clone of your own");
});

test("a cache that cannot be written is named with the variable that chooses another", () => {
  const problem = unwritable(failed("EROFS", "/home/anna/.cache/routeql"), "/srv/routeql");
  expect(problem?.what).toContain("the file system is read-only");
  expect(problem?.remedy).toContain("XDG_CACHE_HOME");
});

test("a full disk is said to be full", () => {
  expect(unwritable(failed("ENOSPC", "/srv/routeql/node_modules/a"), "/srv/routeql")?.remedy).toContain("free some space");
});

test("another error is not taken for one of rights", () => {
  expect(unwritable(failed("ENOENT", "/srv/routeql/a"), "/srv/routeql")).toBeUndefined();
  expect(unwritable(failed("EACCES"), "/srv/routeql")).toBeUndefined();
  expect(unwritable(Object.assign(failed("EACCES", "/run/docker.sock"), { syscall: "connect" }), "/srv/routeql")).toBeUndefined();
  expect(unwritable("text", "/srv/routeql")).toBeUndefined();
});
