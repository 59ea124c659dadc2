import { z } from "zod";
import { EngineError, type EngineErrorCode } from "../../errors.ts";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { Inconsistency } from "@routeql/metadata/read/problems";
import { parseArguments } from "../parse-arguments.ts";

/** Merged metadata, or an object of them. */
export type Json = Readonly<Record<string, unknown>>;

/** What a command makes of metadata, before they are held to the databases. */
export interface Change {
  readonly metadata: Json;
  /** Place of the object that the command is about: when it does not fit the database, the error says why. */
  readonly object?: MergedPath;
  /**
   * Metadata that may fit, in the place of ones in which these objects newly do not; undefined when nothing can be done.
   * @throws EngineError
   */
  readonly mend?: (metadata: Json, unfit: readonly Inconsistency[]) => Json | undefined;
  /** What it has to mend shows only before other commands follow, which may give a name that it takes away to something else. */
  readonly goesAlone?: boolean;
  /** The answer, once the change is made; default: success. @throws EngineError */
  readonly answer?: () => unknown;
}

/** Paths of errors start from the command, `$.args`. @throws EngineError */
export type Command = (metadata: Json, args: unknown) => Change;

/** A command with arguments of one form. */
export function command<Schema extends z.ZodType>(schema: Schema, change: (metadata: Json, args: z.output<Schema>) => Change): Command {
  return (metadata, args) => change(metadata, parseArguments(schema, args, "$.args"));
}

/** Hasura's `throw400`: every refusal of a command has the status 400, whatever its code. */
export function refusal(code: EngineErrorCode, message: string, path = "$.args", internal?: unknown): EngineError {
  return new EngineError({ code, message, path, status: 400, internal });
}

/** The source that a command names, else the one called default. */
export const source = z.string().nullish().transform((name) => name ?? "default");
export const cascade = z.boolean().nullish().transform((value) => value ?? false);
export const comment = z.string().nullish();
export const object = z.record(z.string(), z.unknown());

/** Without the keys that have no value. */
export function present(values: Json): Json {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}
