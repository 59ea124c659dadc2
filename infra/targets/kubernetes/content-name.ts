import { createHash, createHmac } from "node:crypto";

const length = 12;

/** Sorted by key, so that the order in which a description lists its parts does not matter. */
function canonical(content: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(content).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Ends the name of an object that never changes: other content is another object. 12 hexadecimal digits. */
export function contentHash(content: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(canonical(content)).digest("hex").slice(0, length);
}

/** The same for secrets. With a key that nobody else has, a name does not help to guess what it stands for. */
export function secretHash(content: Readonly<Record<string, string>>, key: string): string {
  return createHmac("sha256", key).update(canonical(content)).digest("hex").slice(0, length);
}
