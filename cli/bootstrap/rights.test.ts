import { expect, test } from "vitest";
import { unwritable } from "./rights.mjs";

const failed = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: no`), { code, ...(path === undefined ? {} : { path }) });

test("reports a clone that belongs to another user", () => {
  const problem = unwritable(failed("EACCES", "/srv/routeql/.tools"), "/srv/routeql");
  expect(problem?.what).toBe("/srv/routeql/.tools cannot be written: this user may not write there");
  expect(problem?.remedy).toContain("use a clone of your own");
});

test("names an unwritable cache with the variable that selects another one", () => {
  const problem = unwritable(failed("EROFS", "/home/anna/.cache/routeql"), "/srv/routeql");
  expect(problem?.what).toContain("the file system is read-only");
  expect(problem?.remedy).toContain("XDG_CACHE_HOME");
});

test("names a read-only file system that a recursive mkdir reports as a missing folder", () => {
  const error = Object.assign(failed("ENOENT", "/home/anna/.cache"), { syscall: "mkdir" });
  const readOnly = (): never => {
    throw failed("EROFS", "/home");
  };
  expect(unwritable(error, "/srv/routeql", readOnly)?.what).toBe(
    "/home/anna/.cache cannot be written: the file system is read-only",
  );
  expect(unwritable(error, "/srv/routeql", () => undefined)).toBeUndefined();
});

test("reports a full disk", () => {
  expect(unwritable(failed("ENOSPC", "/srv/routeql/node_modules/a"), "/srv/routeql")?.remedy).toContain(
    "free some space",
  );
});

test("ignores errors that do not concern permissions", () => {
  expect(unwritable(failed("ENOENT", "/srv/routeql/a"), "/srv/routeql")).toBeUndefined();
  expect(unwritable(failed("EACCES"), "/srv/routeql")).toBeUndefined();
  expect(
    unwritable(Object.assign(failed("EACCES", "/run/docker.sock"), { syscall: "connect" }), "/srv/routeql"),
  ).toBeUndefined();
  expect(unwritable("text", "/srv/routeql")).toBeUndefined();
});
