import { type Environment, readVariable, withoutEmpty } from "@routeql/contract/environment";
import { z } from "zod";
import { type CorsPolicy, readCorsPolicy } from "../http/cors.ts";

export interface EnvironmentReading {
  /** Values by name; `<NAME>_FILE` is already resolved. Empty values count as absent. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** One sentence each, starting with the name; never with a value. */
  readonly problems: readonly string[];
}

const ours = /^(?:HASURA_GRAPHQL|ENGINE|TRACE)_/;

/** Reads the known names, from `NAME` or the file in `NAME_FILE`. An unknown name with this engine's prefix is a problem. */
export function readEnvironment(
  environment: Environment,
  known: ReadonlySet<string>,
  passedThrough: ReadonlySet<string>,
): EnvironmentReading {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  const given = withoutEmpty(environment);
  for (const name of Object.keys(given)) {
    const base = name.replace(/_FILE$/, "");
    if (!ours.test(name) || passedThrough.has(base)) continue;
    if (!known.has(base)) {
      problems.push(`${name}: is not a setting of this engine`);
      continue;
    }
    const { value, problem } = readVariable(given, base);
    if (value !== undefined) values[base] = value;
    if (problem !== undefined && !problems.includes(problem)) problems.push(problem);
  }
  return { values, problems };
}

// Types of settings: each parses the text of an environment variable, or its absence.

function wholeNumber(minimum: number, maximum: number) {
  const message = `must be a whole number from ${String(minimum)} to ${String(maximum)}`;
  return z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum, { message })
    .transform(Number);
}

export const integer = (fallback: number, minimum: number, maximum: number) =>
  wholeNumber(minimum, maximum).prefault(String(fallback));

export const optionalInteger = (minimum: number, maximum: number) => wholeNumber(minimum, maximum).optional();

/** Adds the problem that a declared check returns. */
export function checkedBy(problem: (value: string) => string | undefined) {
  return (value: string, context: z.RefinementCtx): void => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  };
}

/** Hasura's booleans: true, t, yes, y and false, f, no, n in any case. */
export function flag(fallback: boolean) {
  return z
    .string()
    .default(String(fallback))
    .refine((text) => /^(?:true|t|yes|y|false|f|no|n)$/i.test(text), { message: "must be true or false" })
    .transform((text) => /^[ty]/i.test(text));
}

const wordsOf = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== "");

/** Comma-separated words. */
export function list(fallback: string) {
  return z.string().default(fallback).transform(wordsOf);
}

/** Comma-separated words; undefined for a missing setting. */
export function optionalList() {
  return z
    .string()
    .optional()
    .transform((text) => (text === undefined ? undefined : wordsOf(text)));
}

/** Named whole numbers: `name=1,other=2`. */
export function limitsByName(minimum: number, maximum: number) {
  const message = `must be a list such as viewer=${String(minimum)}, each a whole number from ${String(minimum)} to ${String(maximum)}`;
  return z
    .string()
    .default("")
    .transform((text, context): ReadonlyMap<string, number> => {
      const limits = new Map<string, number>();
      for (const entry of text.split(",").filter((each) => each.trim() !== "")) {
        const [, name, value] = /^\s*([^=\s]+)\s*=\s*(\d+)\s*$/.exec(entry) ?? [];
        const limit = Number(value);
        if (name === undefined || limit < minimum || limit > maximum || limits.has(name)) {
          context.addIssue({ code: "custom", message });
          return z.NEVER;
        }
        limits.set(name, limit);
      }
      return limits;
    });
}

/** Origins, for {@link readCorsPolicy}. */
export function origins(fallback: string) {
  return z
    .string()
    .default(fallback)
    .transform((text, context): CorsPolicy => {
      try {
        return readCorsPolicy(text);
      } catch (error) {
        context.addIssue({ code: "custom", message: (error as Error).message });
        return z.NEVER;
      }
    });
}

/** The reason without the text, which the message of Node may quote. */
function jsonProblem(text: string, message: string): string {
  if (/^\s*['`]/.test(text)) return "must be JSON: remove the quotes around it";
  const [, place] = /\((line \d+ column \d+)\)$/.exec(message) ?? [];
  const remedy = message.startsWith("Bad control character") ? ": write line ends in a value as \\n" : "";
  return `must be JSON${place === undefined ? "" : `, and is none from ${place} on`}${remedy}`;
}

/** JSON with the given schema. Problems are reported by path, because the text may contain a key. */
export function json<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): z.output<Schema> => {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch (error) {
        context.addIssue({ code: "custom", message: jsonProblem(text, (error as Error).message) });
        return z.NEVER;
      }
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      for (const { path, message } of parsed.error.issues) {
        context.addIssue({
          code: "custom",
          message: path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`,
        });
      }
      return z.NEVER;
    })
    .optional();
}
