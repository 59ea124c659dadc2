import { spawnSync, type SpawnSyncReturns } from "node:child_process";

/** Longest subject of a commit, in characters. */
const longest = 72;

/** Result of the check, or the reason why it was not possible. */
export type SubjectCheck = { readonly problems: readonly string[] } | { readonly skipped: string };

/** Checks the subjects of all commits of a checkout after the commit `base`. Merge commits have generated subjects, so they are ignored. */
export function checkSubjects(checkout: string, base: string): SubjectCheck {
  const git = (...args: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync("git", ["-C", checkout, ...args], { encoding: "utf8" });
  const repository = git("rev-parse", "--git-dir");
  if (repository.error) return { skipped: "git is not installed" };
  if (repository.status !== 0) return { skipped: "this folder is not a Git checkout" };
  if (git("merge-base", "--is-ancestor", base, "HEAD").status !== 0)
    return { skipped: `the history lacks the base commit ${base.slice(0, 7)}, as in a shallow clone` };
  const log = git("log", "--no-merges", "--format=%h %s", `${base}..HEAD`);
  if (log.status !== 0) throw new Error(`git log failed: ${log.stderr}`);
  const problems = log.stdout.split("\n").flatMap((line) => {
    const subject = line.slice(line.indexOf(" ") + 1);
    return subject.length > longest ? [`${line}: ${subject.length} characters; at most ${longest}`] : [];
  });
  return { problems };
}
