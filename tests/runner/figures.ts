import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Figures, figuresFolder } from "../harness/figures.ts";

export interface SuiteFigures {
  readonly suite: string;
  readonly figures: Figures;
}

/** Figures of this run: files written since `since` (milliseconds since 1970), by suite. */
export async function readFigures(since: number, folder: string = figuresFolder): Promise<SuiteFigures[]> {
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith(".json")).toSorted();
  const all = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      if ((await stat(file)).mtimeMs < since) return [];
      return [{ suite: name.slice(0, -".json".length), figures: JSON.parse(await readFile(file, "utf8")) as Figures }];
    }),
  );
  return all.flat();
}
