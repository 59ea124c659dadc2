import { realpathSync } from "node:fs";
import { sep } from "node:path";

/** Whether a file is in a folder by its name only: a symbolic link leads out of it. A missing file does not count. */
export function leadsOutside(folder: string, file: string): boolean {
  try {
    return !realpathSync(file).startsWith(realpathSync(folder) + sep);
  } catch {
    return false;
  }
}
