import type { z } from "zod";
import { EngineError } from "../errors.ts";

/** @throws EngineError `parse-failed` with the path of the first invalid value */
export function parseArguments<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = (issue?.path ?? []).map((part) => (typeof part === "number" ? `[${String(part)}]` : `.${String(part)}`)).join("");
  throw new EngineError({ code: "parse-failed", path: `${path}${place}`, message: issue?.message ?? "this cannot be read" });
}
