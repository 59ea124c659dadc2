import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { messageOf } from "@routeql/host/failure";
import { isNoInput } from "./inputs.ts";

/** Git's object id by path; of a page the hash of its blocks. A path without one is absent from the working tree. */
export type Objects = Readonly<Record<string, string>>;

/** The lines of a page that suites read: headings, marks and blocks of code. Its sentences are input of the checks of `npm test` only. */
const readLines = (page: string): string =>
  Array.from(page.matchAll(/^#+ .*$|^<!-- .*-->$|^(`{3,})[^]*?^\1$/gm), ([lines]) => lines).join("\n");

/**
 * The objects of files and folders in the working tree of a checkout, with uncommitted changes, without files that are no input.
 * @throws {Error} if the folder is no checkout, or git is absent or fails
 */
export function objectsOf(paths: readonly string[], checkout: string): Objects {
  const scratch = mkdtempSync(join(tmpdir(), "routeql-index-"));
  const index = join(scratch, "index");
  const git = (args: readonly string[], input = "", changed: NodeJS.ProcessEnv = { GIT_INDEX_FILE: index }): string =>
    execFileSync("git", args, {
      cwd: checkout,
      encoding: "utf8",
      input,
      maxBuffer: 64 * 1024 * 1024,
      stdio: "pipe",
      // A hook of git sets them to its own repository.
      env: { ...process.env, GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, ...changed },
    });
  const hashOfPage = (path: string): string =>
    createHash("sha1")
      .update(readLines(readFileSync(join(checkout, path), "utf8")))
      .digest("hex");
  try {
    // A copy of the checkout's index, which stays as it is. It saves reading unchanged files.
    const own = resolve(checkout, git(["rev-parse", "--git-path", "index"], "", {}).trim());
    if (existsSync(own)) copyFileSync(own, index);
    git(["add", "--all"]);
    const ignored = git(["ls-files", "-z"]).split("\0").filter(isNoInput);
    git(["update-index", "--force-remove", "-z", "--stdin"], ignored.map((path) => `${path}\0`).join(""));
    const tree = git(["write-tree"]).trim();
    // `git ls-tree` leaves out a folder if one of the other paths lies in it.
    const found = git(["cat-file", "--batch-check=%(objectname)"], paths.map((path) => `${tree}:${path}\n`).join(""));
    return Object.fromEntries(
      found
        .trim()
        .split("\n")
        .flatMap((line, index) => (line.endsWith(" missing") ? [] : [[paths[index]!, line]]))
        .map(([path, id]) => [path, path!.endsWith(".md") ? hashOfPage(path!) : id]),
    );
  } catch (error) {
    throw new Error(`git cannot read the working tree of ${checkout}: ${messageOf(error)}`, { cause: error });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
