import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const documents = resolve(import.meta.dirname, "../../../docs");

/** A block of commands on a page of the operator, marked with `<!-- walk: name -->`. */
export interface Block {
  readonly name: string;
  /** Path below docs/. */
  readonly page: string;
  readonly commands: string;
}

const marked = /<!-- walk: (?<name>[a-z-]+) -->\n+```(?<language>\w*)\n(?<commands>[\s\S]*?)\n```/g;

/**
 * All marked blocks by name.
 * @throws Error for a name that two blocks have, or a mark without a block of commands
 */
export function markedBlocks(): ReadonlyMap<string, Block> {
  const blocks = new Map<string, Block>();
  const pages = ["start", "operate"].flatMap((folder) =>
    readdirSync(join(documents, folder))
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${folder}/${file}`),
  );
  for (const page of pages) {
    const text = readFileSync(join(documents, page), "utf8");
    const found = [...text.matchAll(marked)].map(({ groups }) => groups!);
    const marks = text.match(/<!-- walk:/g)?.length ?? 0;
    if (marks !== found.length) throw new Error(`${page} has ${marks} marks, but ${found.length} marked blocks`);
    for (const { name = "", language, commands = "" } of found) {
      if (blocks.has(name)) throw new Error(`two blocks have the mark ${name}`);
      blocks.set(name, { name, page, commands: language === "console" ? typed(commands) : commands });
    }
  }
  return blocks;
}

/** The commands of a block that also shows their output. */
const typed = (commands: string): string =>
  commands
    .split("\n")
    .filter((line) => line.startsWith("$ "))
    .map((line) => line.slice(2))
    .join("\n");
