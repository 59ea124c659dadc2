import { z } from "zod";
import { readCorsPolicy, type CorsPolicy } from "../http/cors.ts";

/** Types of settings: each parses the text of an environment variable, or its absence. */

/** A whole number. */
export function integer(fallback: number, minimum: number, maximum: number) {
  const message = `must be a whole number from ${String(minimum)} to ${String(maximum)}`;
  return z
    .string()
    .default(String(fallback))
    .refine((text) => /^-?\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum, { message })
    .transform(Number);
}

/** An optional whole number. */
export function optionalInteger(minimum: number, maximum: number) {
  const message = `must be a whole number from ${String(minimum)} to ${String(maximum)}`;
  return z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum, { message })
    .transform(Number)
    .optional();
}

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

/** Comma-separated words. */
export function list(fallback: string) {
  return z
    .string()
    .default(fallback)
    .transform((text) =>
      text
        .split(",")
        .map((word) => word.trim().toLowerCase())
        .filter((word) => word !== ""),
    );
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

/** JSON with the given schema. Problems are reported by path, because the text may contain a key. */
export function json<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): z.output<Schema> => {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "must be JSON" });
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
