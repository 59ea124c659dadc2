import { accessSync, constants, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";

const reasons = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
};

/** The nearest existing and accessible folder of a path, and the id of its owner. */
function existing(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined && path !== dirname(path) ? existing(dirname(path)) : { path, owner: found?.uid };
}

function me() {
  try {
    return userInfo().username;
  } catch {
    // Some containers have a user id without an entry in the password database.
    return `the user with the id ${process.getuid?.()}`;
  }
}

/** Node's recursive mkdir reports a read-only file system as ENOENT; the nearest folder gives the real code. */
function codeOf({ code, syscall, path }, access) {
  if (code !== "ENOENT" || syscall !== "mkdir") return code;
  try {
    access(nearest(path).path, constants.W_OK);
    return code;
  } catch (error) {
    return error.code;
  }
}

/**
 * Why a file cannot be written, and how to fix it; undefined for any other error.
 * @param {unknown} error
 * @param {string} project folder of the checkout
 * @param {(path: string, mode: number) => void} access
 * @returns {{ what: string, remedy: string } | undefined}
 */
export function unwritable(error, project, access = accessSync) {
  if (!(error instanceof Error) || error.syscall === "connect" || typeof error.path !== "string") return undefined;
  const code = codeOf(error, access);
  const reason = reasons[code];
  if (reason === undefined) return undefined;
  const what = `${error.path} cannot be written: ${reason}`;
  if (code === "ENOSPC") return { what, remedy: "free some space; a first start needs about 6 GB." };
  const { path, owner } = nearest(error.path);
  if (error.path !== project && !error.path.startsWith(`${project}/`))
    return { what, remedy: `give ${me()} write permission on ${path}, or set XDG_CACHE_HOME to another cache folder.` };
  const other =
    owner !== undefined && owner !== process.getuid?.() ? ` (this one belongs to the user with the id ${owner})` : "";
  return { what, remedy: `use a clone of your own${other}, or give ${me()} write permission on ${project}.` };
}

function nearest(path) {
  try {
    return existing(path);
  } catch {
    return { path: dirname(path), owner: undefined };
  }
}
