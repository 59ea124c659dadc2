import { invalid } from "./invalid.ts";

const step = /\.?(?:\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]|([\p{L}_][\p{L}\p{N}_-]*))/uy;
const help = 'Accept letters, digits, underscore (_) or hyphen (-) only. Use quotes enclosed in bracket (["..."]) if there is any special character';

/** Quoted text is parsed like a JSON string, except that single quotes may be escaped and double quotes need no escape. */
function unquoted(double: string | undefined, single: string | undefined): string | undefined {
  const inside = double ?? single?.replaceAll(/\\.|"/gs, (part) => (part === "\\'" ? "'" : part === '"' ? '\\"' : part));
  try {
    return inside === undefined ? undefined : (JSON.parse(`"${inside}"`) as string);
  } catch {
    return undefined;
  }
}

/**
 * Parses Hasura's JSON paths: `$`, `a.b`, `.a[0]`, `a['key with spaces']`, `$["x"]`.
 * @returns the keys and indexes; none for the whole value
 * @throws EngineError when the path is invalid
 */
export function readJsonPath(text: string, path: string): readonly string[] {
  const start = text.startsWith("$") ? 1 : 0;
  const steps: string[] = [];
  step.lastIndex = start;
  if (text === "$") return steps;
  do {
    const match = step.exec(text);
    const [, index, double, single, name] = match ?? [];
    const key = index ?? name ?? unquoted(double, single);
    if (match === null || key === undefined) throw invalid(`parse json path error: ${text}. ${help}`, path);
    steps.push(key);
  } while (step.lastIndex < text.length);
  return steps;
}
