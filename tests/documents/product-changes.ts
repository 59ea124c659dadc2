import { execFileSync } from "node:child_process";
import { repository } from "../harness/repository.ts";

const known = new Map<string, number>();

/**
 * Commits since a date that changed these folders. A date and not a commit: a rebase replaces the commit of a measurement. 0 without git.
 * A shallow clone has fewer.
 */
export function changesSince(date: string, folders: readonly string[], root: string = repository): number {
  const words = ["rev-list", "--count", `--since=${date}T23:59:59Z`, "HEAD", "--", ...folders];
  const key = [root, ...words].join(" ");
  let changes = known.get(key);
  if (changes === undefined) known.set(key, (changes = count(words, root)));
  return changes;
}

function count(words: readonly string[], root: string): number {
  try {
    return Number(execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return 0;
  }
}
