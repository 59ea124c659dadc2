import type { z } from "zod";
import { nearest } from "./cli/nearest.ts";

type Path = readonly (string | number)[];

export interface ConfigurationIssue {
  readonly path: Path;
  readonly reason: string;
}

const names: Readonly<Record<string, string>> = { string: "a text", array: "a list", object: "a mapping", record: "a mapping", boolean: "true or false", number: "a number" };

function valueAt(content: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, part) => (typeof value === "object" && value !== null ? (value as Readonly<Record<string | number, unknown>>)[part] : undefined), content);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return names[typeof value] ?? typeof value;
}

/** A problem of the configuration in words: the expected and the actual value. */
export function describeIssue(issue: z.core.$ZodIssue, content: unknown, known: readonly string[]): readonly ConfigurationIssue[] {
  const path = issue.path as Path;
  const found = kindOf(valueAt(content, path));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const suggestion = path.length === 0 ? nearest(key, known) : undefined;
      return { path: [...path, key], reason: `unknown key${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}` };
    });
  }
  if (issue.code === "invalid_type") return [{ path, reason: `this must be ${names[issue.expected] ?? issue.expected}, and is ${found}` }];
  if (issue.code === "invalid_union") return [{ path, reason: `this must be a text or a list of texts, and is ${found}` }];
  return [{ path, reason: issue.message }];
}
