import { createWriteStream, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const kept = 20;

/** The full log of one run; the terminal shows only some of it. */
export interface RunLog {
  readonly file: string;
  readonly line: (text: string) => void;
  readonly close: () => Promise<void>;
}

/** Opens `<folder>/<time>-<command>.log` (mode 0600) and deletes old logs. */
export function openRunLog(folder: string, command: string): RunLog {
  mkdirSync(folder, { recursive: true });
  const old = readdirSync(folder)
    .filter((name) => name.endsWith(".log"))
    .toSorted();
  for (const name of old.slice(0, Math.max(0, old.length - kept + 1))) rmSync(join(folder, name), { force: true });
  const file = join(folder, `${new Date().toISOString().replaceAll(/[:.]/g, "-")}-${command}.log`);
  const stream = createWriteStream(file, { mode: 0o600 });
  return {
    file,
    line: (text) => {
      stream.write(`${new Date().toISOString()} ${text}\n`);
    },
    close: () =>
      new Promise((resolve) => {
        stream.end(resolve);
      }),
  };
}
