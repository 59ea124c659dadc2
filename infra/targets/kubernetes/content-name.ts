import { createHash, createHmac } from "node:crypto";

const length = 12;

/** Sorted by key, so that the order in a description does not matter. */
function canonical(content: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(content).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Suffix of an immutable object's name: other content gives another object. 12 hexadecimal digits. */
export function contentHash(content: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(canonical(content)).digest("hex").slice(0, length);
}

/** The same for secrets, keyed, so that a name does not help to guess its content. */
export function secretHash(content: Readonly<Record<string, string>>, key: string): string {
  return createHmac("sha256", key).update(canonical(content)).digest("hex").slice(0, length);
}
