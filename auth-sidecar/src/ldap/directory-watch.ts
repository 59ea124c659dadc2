import type { Logger } from "pino";
import { Unavailable } from "../errors.ts";
import type { DirectoryAccounts } from "./directory-accounts.ts";
import type { DirectoryLogin } from "./directory-login.ts";

export interface DirectoryWatchParts {
  readonly directory: DirectoryLogin;
  readonly accounts: DirectoryAccounts;
  readonly log: Logger;
  /** Seconds for which a token may live. */
  readonly lifeSeconds: number;
}

/** Reads the accounts with valid tokens from the directory: a removed one loses its sessions and tokens without using them. */
async function watchDirectory({ directory, accounts, log, lifeSeconds }: DirectoryWatchParts): Promise<void> {
  try {
    const users = await accounts.withTokens(lifeSeconds);
    if (users.length > 0) await directory.refresh(users);
  } catch (error) {
    const cause = error instanceof Unavailable ? (error.cause ?? error) : error;
    log.warn(
      { err: cause },
      "the accounts with tokens could not be read from the directory; they keep their rights until the next time",
    );
  }
}

/** Repeats it. One run follows another, however long the directory takes. @returns a function that stops it */
export function startDirectoryWatch(parts: DirectoryWatchParts, seconds: number): () => void {
  let running = false;
  const timer = setInterval(() => {
    if (running) return;
    running = true;
    void watchDirectory(parts).finally(() => (running = false));
  }, seconds * 1000);
  return () => clearInterval(timer);
}
