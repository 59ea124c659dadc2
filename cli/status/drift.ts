import { previewUp } from "../stack/bring-up.ts";

/** One changed resource of `pulumi preview --diff`: `~ docker:index/container:Container: (update)` and a line with its URN. */
const change = /^\s*([-+~]+)\s*\S+: \(([a-z-]+)\)\s*\n(?:(?!\s*[-+~]+\s*\S+: \()[^\n]*\n)*?\s*\[urn=[^\]]*::([^\]:]+)\]/gm;

/** `update routeql-engine` for each resource in the text of a preview. */
export const changesOf = (text: string): string[] => [...text.matchAll(change)].map(([, , operation, name]) => `${operation} ${name}`);

/** Changes that an update would make, after a refresh that changes nothing (`pulumi preview --refresh`). */
export async function driftOf(stack: string, signal: AbortSignal): Promise<readonly string[]> {
  const { changes, text } = await previewUp({ stack, signal, log: () => undefined });
  const count = Object.entries(changes).reduce((sum, [operation, number]) => (operation === "same" ? sum : sum + (number ?? 0)), 0);
  const named = changesOf(text);
  return count === 0 || named.length > 0 ? named.slice(0, count) : [`${count} changes`];
}
