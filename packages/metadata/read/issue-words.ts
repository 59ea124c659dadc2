import type { z } from "zod";

export const missing = "this key is required";

export const isMissing = (issue: z.core.$ZodIssue | undefined): boolean =>
  issue?.code === "invalid_type" && issue.message.endsWith("received undefined");

const called: Readonly<Record<string, string>> = {
  object: "an object",
  record: "an object",
  array: "a list",
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/** Says a wrong type in the words of YAML; other messages stay. */
export function wordsOf(issue: z.core.$ZodIssue): string {
  if (isMissing(issue)) return missing;
  const [, found = ""] = /received (\w+)$/.exec(issue.message) ?? [];
  if (issue.code !== "invalid_type" || found === "") return issue.message;
  return `${called[issue.expected] ?? issue.expected} is expected, and this is ${called[found] ?? found}`;
}
