/** Types of settings. Every setting arrives as text. */
import type { NumberSetting } from "@routeql/contract/environment";
import { z } from "zod";
import { readSessionsUrl } from "@routeql/sidecar-settings/sessions-url";
import { isKnownSecret, secretWeakness } from "@routeql/sidecar-settings/weak-secrets";

/** A whole number, written in decimal digits. */
export function wholeNumber(minimum: number, maximum: number, byDefault: number) {
  return z
    .string()
    .regex(/^\d{1,12}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`))
    .default(byDefault);
}

/** The types of declared whole numbers, by name. */
export function wholeNumbers<Name extends string>(declared: Readonly<Record<Name, NumberSetting>>) {
  const types = Object.entries<NumberSetting>(declared).map(
    ([name, { minimum, maximum, default: byDefault, meaning }]) => [
      name,
      wholeNumber(minimum, maximum, byDefault).describe(meaning),
    ],
  );
  return Object.fromEntries(types) as Record<Name, ReturnType<typeof wholeNumber>>;
}

/** A secret for machines only. */
export function secret(minimum: number) {
  return z.string("is required").superRefine((value, context) => {
    const weakness = secretWeakness(value, minimum);
    if (weakness !== undefined) context.addIssue(weakness);
  });
}

const knownPassword = "holds a password that is a known default or example value";

/** URL of another service with one of the given schemes. A password in it must not be a published default. */
export function address(schemes: readonly string[]) {
  return z.string("is required").superRefine((value, context) => {
    const url = URL.parse(value);
    if (url === null || !schemes.includes(url.protocol.slice(0, -1)) || url.hostname === "") {
      context.addIssue(`must be an address that starts with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`);
    } else if (url.password !== "" && isKnownSecret(safelyDecoded(url.password))) {
      context.addIssue(knownPassword);
    }
  });
}

/** URL of the session store, with the same check of its password. */
export const sessionsAddress = z.string("is required").superRefine((value, context) => {
  const read = readSessionsUrl(value);
  if (typeof read === "string") context.addIssue(read);
  else if (isKnownSecret(read.password ?? "")) context.addIssue(knownPassword);
});

/** A word that goes into tokens as it is. */
export function identifier(byDefault: string) {
  return z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters without spaces")
    .default(byDefault);
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
