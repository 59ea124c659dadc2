import { YamlFile, type YamlPath } from "@routeql/metadata/read/yaml";

/** The ways to split a printed path such as `[2].select_permissions[0].permission` at its start; a key can contain dots. */
function* splits(path: string): Iterable<readonly [part: string | number, rest: string]> {
  const index = /^\[(\d+)\]\.?/.exec(path);
  if (index !== null) yield [Number(index[1]), path.slice(index[0].length)];
  yield [path, ""];
  for (let at = path.length - 1; at > 0; at -= 1)
    if (path[at] === "." || path[at] === "[") yield [path.slice(0, at), path.slice(at).replace(/^\./, "")];
}

/** The longest part of a printed path that exists in a file. */
function existing(file: YamlFile, path: string, before: YamlPath = []): YamlPath {
  if (path === "") return before;
  for (const [part, rest] of splits(path)) {
    const inner = [...before, part];
    if (file.has(inner)) return existing(file, rest, inner);
  }
  return before;
}

/** Finds the line, from 1, of a path that `printPath` writes, or of its nearest parent. Parses the text once. */
export function linesOf(text: string): (path: string) => number {
  let file: YamlFile | undefined;
  return (path) => {
    const named = /^line (\d+)$/.exec(path);
    if (named !== null) return Number(named[1]);
    file ??= new YamlFile(text);
    return file.line(existing(file, path)) ?? 1;
  };
}
