/** The ranges of all stacks of this user, by the folder of the stack: one file, read and written under one lock. */
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cacheFolder } from "@routeql/host/paths";
import { withLock } from "@routeql/host/process-lock";
import { z } from "zod";

const content = z.record(z.string(), z.array(z.string()));

export type Reservations = Readonly<Record<string, readonly string[]>>;

const reservationsFile = (): string => join(cacheFolder(), "network-ranges.json");

/** Writes a file at once, so that no other command reads half of it. */
export async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

/** The reservations of stacks that still have their folder. A file with other content counts as none. */
export async function readReservations(): Promise<Reservations> {
  const text = await readFile(reservationsFile(), "utf8").catch(() => "{}");
  try {
    return Object.fromEntries(Object.entries(content.parse(JSON.parse(text))).filter(([folder]) => existsSync(folder)));
  } catch {
    return {};
  }
}

/** Reserves ranges for the stack of a folder. @param choose returns them; undefined or none ends the stack's reservation */
export async function reserveRanges<Ranges extends readonly string[] | undefined>(
  folder: string,
  choose: (reservations: Reservations) => Ranges,
): Promise<Ranges> {
  const lock = `${reservationsFile()}.lock`;
  return withLock(
    lock,
    "a command that chooses a network range",
    () => undefined,
    async () => {
      const { [folder]: _own, ...others } = await readReservations();
      const ranges = choose(others);
      const all = ranges === undefined || ranges.length === 0 ? others : { ...others, [folder]: ranges };
      await replaceFile(reservationsFile(), `${JSON.stringify(all, null, 2)}\n`);
      return ranges;
    },
    20,
  );
}
