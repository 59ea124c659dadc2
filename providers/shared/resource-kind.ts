import type { z } from "zod";
import type { Properties } from "./values.ts";

export interface Context {
  readonly urn: string;
  /** Aborted when the engine cancels the update. */
  readonly signal: AbortSignal;
}

/** What a resource turned out to be on refresh. */
export interface Reading {
  /** Outputs that changed outside; the rest stays as it is in the state. */
  readonly outputs?: Properties;
  /** What differs from the inputs, in words; non-empty makes the next update repair it. */
  readonly drift?: readonly string[];
  /** How the drift is repaired. */
  readonly repair?: "update" | "replace";
}

/**
 * One resource type (methods, so that kinds of different inputs fit into one table). Inputs and states are plain here (secrets
 * unwrapped); the server around it wraps what is stored.
 * Outputs are the inputs plus what create, update and read give.
 */
export interface ResourceKind<Inputs> {
  /** Strict: a property that is not in it is refused by name. */
  readonly inputs: z.ZodObject;
  /** Inputs whose change is done by `update`; a change of any other replaces the resource. */
  readonly updatable?: readonly string[];
  /** Outputs that are stored encrypted. */
  readonly secretOutputs?: readonly string[];
  /** The old resource has to go first, because both would have the same name. */
  deleteBeforeReplace?(olds: Inputs, news: Inputs): boolean;
  create(inputs: Inputs, context: Context): Promise<{ id: string; outputs: Properties }>;
  /** Undefined when the resource is gone. Without it the state is taken as it is. */
  read?(id: string, state: Inputs & Properties, context: Context): Promise<Reading | undefined>;
  update?(id: string, olds: Inputs & Properties, news: Inputs, context: Context): Promise<Properties>;
  /** Resolves when the resource is gone, also when it was gone before. */
  delete?(id: string, state: Inputs & Properties, context: Context): Promise<void>;
}

/** A kind whose inputs' type does not matter to the server. */
export type AnyResourceKind = ResourceKind<Properties>;
