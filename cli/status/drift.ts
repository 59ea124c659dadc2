import { previewUp } from "../stack/bring-up.ts";

/** One changed resource of `pulumi preview --diff`: `~ docker:index/container:Container: (update)` and a line with its URN. */
const change = /^\s*([-+~]+)\s*\S+: \(([a-z-]+)\)\s*\n(?:(?!\s*[-+~]+\s*\S+: \()[^\n]*\n)*?\s*\[urn=[^\]]*::([^\]:]+)\]/gm;

/** Steps of a preview that change nothing. */
const harmless: ReadonlySet<string> = new Set(["same", "refresh", "read"]);

/** `update routeql-engine` for each resource in the text of a preview that an update would change. */
export const changesOf = (text: string): string[] =>
  [...text.matchAll(change)].flatMap(([, , operation = "", name]) => (harmless.has(operation) ? [] : [`${operation} ${name}`]));

/** Changes that an update would make, after a refresh that changes nothing (`pulumi preview --refresh`). */
export async function driftOf(stack: string, signal: AbortSignal): Promise<readonly string[]> {
  const { changes, text } = await previewUp({ stack, signal, log: () => undefined });
  const count = Object.entries(changes).reduce((sum, [operation, number]) => (harmless.has(operation) ? sum : sum + (number ?? 0)), 0);
  const named = changesOf(text);
  if (count === 0) return [];
  return named.length > 0 ? named : [`${count} changes`];
}
