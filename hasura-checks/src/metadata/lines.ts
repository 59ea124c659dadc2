import { isMap, isSeq, LineCounter, type Node, parseDocument } from "yaml";

interface Found {
  readonly node: Node;
  readonly offset: number;
  readonly rest: string;
}

/** One step of a printed path such as `[2].select_permissions[0].permission`; a key can contain dots. */
function step(node: unknown, path: string): Found | undefined {
  if (isSeq(node)) {
    const index = /^\[(\d+)\]\.?/.exec(path);
    const item = index === null ? undefined : node.items[Number(index[1])];
    return index === null || item === undefined
      ? undefined
      : { node: item as Node, offset: startOf(item), rest: path.slice(index[0].length) };
  }
  if (!isMap(node)) return undefined;
  const fitting = node.items.flatMap((pair) => {
    const key = String(pair.key);
    const after = path.startsWith(key) ? path.slice(key.length) : undefined;
    return after !== undefined && /^($|[.[])/.test(after)
      ? [{ node: pair.value as Node, offset: startOf(pair.key), rest: after.replace(/^\./, ""), length: key.length }]
      : [];
  });
  return fitting.toSorted((one, other) => other.length - one.length)[0];
}

const startOf = (node: unknown): number => (node as Node | null)?.range?.[0] ?? 0;

/** Finds the line, from 1, of a path that `printPath` writes, or of its nearest parent. Parses the text once. */
export function linesOf(text: string): (path: string) => number {
  let parsed: { readonly contents: unknown; readonly counter: LineCounter } | undefined;
  return (path) => {
    const named = /^line (\d+)$/.exec(path);
    if (named !== null) return Number(named[1]);
    if (parsed === undefined) {
      const counter = new LineCounter();
      parsed = {
        counter,
        contents: parseDocument(text, {
          lineCounter: counter,
          customTags: [{ tag: "!include", resolve: (value: string) => value }],
        }).contents,
      };
    }
    let offset = startOf(parsed.contents);
    let node: unknown = parsed.contents;
    for (let rest = path; rest !== "";) {
      const found = step(node, rest);
      if (found === undefined) break;
      ({ node, offset, rest } = found);
    }
    return parsed.counter.linePos(offset).line;
  };
}
