import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readJson } from "@routeql/contract/written-text";

/** Written into packages and source archives, which have no history: `{"build": 1311}`. */
export const buildFile = "infra/build.json";

/** Number that orders states of the source: the commits up to this one. Undefined without history, as in a shallow clone or a plain archive. */
export function buildNumber(root = resolve(import.meta.dirname, "..")): number | undefined {
  return writtenNumber(join(root, buildFile)) ?? commitsOf(root);
}

function writtenNumber(path: string): number | undefined {
  if (!existsSync(path)) return undefined;
  const { build } = readJson(path) as { readonly build?: unknown };
  return typeof build === "number" ? build : undefined;
}

const commitsOf = (root: string): number | undefined =>
  fromHistory(root, (git) =>
    git("rev-parse", "--is-shallow-repository") === "false" ? Number(git("rev-list", "--count", "HEAD")) : undefined,
  );

/** When the checkout's newest commit was made, in milliseconds since 1970; undefined without history. */
export const commitTime = (root = resolve(import.meta.dirname, "..")): number | undefined =>
  fromHistory(root, (git) => Number(git("log", "-1", "--format=%ct")) * 1000);

function fromHistory(
  root: string,
  read: (git: (...words: readonly string[]) => string) => number | undefined,
): number | undefined {
  // A repository around an unpacked archive has another history.
  if (!existsSync(join(root, ".git"))) return undefined;
  // Git sets these for its hooks, also of another repository.
  const env = { ...process.env, GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_COMMON_DIR: undefined };
  try {
    return read((...words) =>
      execFileSync("git", ["-C", root, ...words], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
        env,
      }).trim(),
    );
  } catch {
    return undefined;
  }
}
