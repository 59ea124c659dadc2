/** A PEM file that a setting names, or the text itself: read once, and later code uses only what the reader returns. */
import { readFileSync } from "node:fs";
import { PemError, textOfPem } from "@routeql/contract/pem";
import { isPem } from "../settings/reading/argument-problems.ts";

/** The place of a problem; never the text. */
export const placeOf = (given: string): string => (isPem(given) ? "argument" : given);

/** @returns the result of `read`, or the end of a sentence that begins with the setting */
export function readGiven<Result>(
  given: string,
  read: (text: string) => Result,
): { readonly value: Result } | { readonly problem: string } {
  try {
    return { value: read(isPem(given) ? given : textOfPem(readFileSync(given))) };
  } catch (error) {
    if (error instanceof PemError) return { problem: error.message };
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { problem: `cannot be read (${code})` };
  }
}
