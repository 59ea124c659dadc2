import { invalid } from "./invalid.ts";

const step = /\.?(?:\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]|([\p{L}_][\p{L}\p{N}_-]*))/uy;

/**
 * Reads Hasura's JSON paths: `$`, `a.b`, `.a[0]`, `a['key with spaces']`, `$["x"]`.
 * @returns the keys and indexes; none for the whole value
 * @throws EngineError when the path cannot be read
 */
export function readJsonPath(text: string, path: string): readonly string[] {
  const start = text.startsWith("$") ? 1 : 0;
  const steps: string[] = [];
  step.lastIndex = start;
  if (text === "" || text.startsWith("..")) throw invalid(`parse json path error: ${text === "" ? "not enough input" : text}`, path);
  while (step.lastIndex < text.length) {
    const from = step.lastIndex;
    const match = step.exec(text);
    if (match === null || match[0] === "") throw invalid(`parse json path error: unexpected ${JSON.stringify(text.slice(from))}`, path);
    const [, index, double, single, name] = match;
    steps.push(index ?? name ?? (double ?? single ?? "").replaceAll(/\\(.)/g, "$1"));
  }
  return steps;
}
