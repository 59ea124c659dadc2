import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../harness/repository.ts";

/** The files of the working tree that git tracks or would add, by the patterns of `git ls-files`; all without a pattern. */
export const listedFiles = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], {
    cwd: repository,
    encoding: "utf8",
  })
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(repository, path)));
