import { EngineError, type EngineErrorCode } from "@routeql/engine/errors";
import { z } from "zod";

/** Merged metadata, or an object of it. */
export type Json = Readonly<Record<string, unknown>>;

/** The metadata after a command. Paths of errors start at the command, `$.args`. @throws EngineError */
export type Command = (metadata: Json, args: unknown) => Json;

/** A command with arguments of one form. */
export function command<Schema extends z.ZodType>(
  schema: Schema,
  change: (metadata: Json, args: z.output<Schema>) => Json,
): Command {
  return (metadata, args) => {
    const parsed = schema.safeParse(args);
    if (parsed.success) return change(metadata, parsed.data);
    const [issue] = parsed.error.issues;
    throw refusal(
      "parse-failed",
      issue?.message ?? "invalid arguments",
      ["$.args", ...(issue?.path ?? []).map(String)].join("."),
    );
  };
}

/** Hasura's `throw400`: every rejection of a command has the status 400, independent of its code. */
export function refusal(code: EngineErrorCode, message: string, path = "$.args"): EngineError {
  return new EngineError({ code, message, path, status: 400 });
}

/** The command's source, default `default`. */
export const source = z
  .string()
  .nullish()
  .transform((name) => name ?? "default");
export const cascade = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
export const comment = z.string().nullish();
export const object = z.record(z.string(), z.unknown());

/** Without the keys that have no value. */
export function present(values: Json): Json {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}
