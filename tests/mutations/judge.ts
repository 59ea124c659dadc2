import type { Mutation } from "./mutation.ts";
import type { Outcome } from "./run-tests.ts";

/** `noticed`: an assertion of the right test failed; `survived`: every test passed; `astray`: another failure. */
export type Judgement = { readonly kind: "noticed" | "survived" | "astray"; readonly reason: string };

/** Messages of vitest assertions, refuted fast-check properties, and tests that expected a rejection. A crash of the file is none of these. */
const isAssertion = (message: string): boolean =>
  /AssertionError|expected|Property failed after|was not refused|has no header|instead of rejecting/i.test(message) &&
  !/SyntaxError|Failed to (load|resolve)|ReferenceError/.test(message);

export function judge(mutation: Pick<Mutation, "noticedBy">, { failed, broken, ran }: Outcome): Judgement {
  const right = failed.find(({ title, message }) => title.includes(mutation.noticedBy) && isAssertion(message));
  if (right !== undefined) return { kind: "noticed", reason: right.title };
  const [other] = failed;
  if (other !== undefined)
    return {
      kind: "astray",
      reason: `failed instead of "${mutation.noticedBy}": ${other.title}: ${firstLine(other.message)}`,
    };
  if (broken.length > 0) return { kind: "astray", reason: firstLine(broken[0] as string) };
  return { kind: "survived", reason: `${ran} tests are green` };
}

const firstLine = (text: string): string => text.split("\n")[0] ?? "";
