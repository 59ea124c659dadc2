import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const documents = resolve(import.meta.dirname, "../../../docs");

/** A block of commands on a page of the operator, marked with `<!-- walk: name -->`. */
export interface Block {
  readonly name: string;
  /** Path below docs/. */
  readonly page: string;
  readonly commands: string;
}

const marked = /<!-- walk: (?<name>[a-z-]+) -->\n+```(?<language>\w*)\n(?<text>[\s\S]*?)\n```/g;

/**
 * All marked blocks by name. A block of settings becomes the commands of its page: add them to the environment file and update. The
 * tutorial's commands name no stack and mean `local`, which may exist on this machine: they get the name of the pages' stack.
 * @throws Error for a name that two blocks have, or a mark without a block
 */
export function markedBlocks(): ReadonlyMap<string, Block> {
  const blocks = new Map<string, Block>();
  const pages = ["start", "operate"].flatMap((folder) =>
    globSync("*.md", { cwd: join(documents, folder) }).map((file) => `${folder}/${file}`),
  );
  for (const page of pages) {
    const whole = readFileSync(join(documents, page), "utf8");
    const found = [...whole.matchAll(marked)].map(({ groups }) => groups!);
    const marks = whole.match(/<!-- walk:/g)?.length ?? 0;
    if (marks !== found.length) throw new Error(`${page} has ${marks} marks, but ${found.length} marked blocks`);
    for (const { name = "", language, text = "" } of found) {
      if (blocks.has(name)) throw new Error(`two blocks have the mark ${name}`);
      const named = page.startsWith("start/")
        ? text.replaceAll(/npm run (\w+)( --(?= ))?/g, "npm run $1 -- --stack site")
        : text;
      const update = `cat >>.env.site <<'END'\n${text}\nEND\nnpm run up -- --stack site`;
      blocks.set(name, { name, page, commands: language === "ini" ? update : named });
    }
  }
  return blocks;
}
