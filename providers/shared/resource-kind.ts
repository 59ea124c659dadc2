import type { z } from "zod";
import type { Properties } from "./values.ts";

export interface Context {
  readonly urn: string;
  /** Aborted when the engine cancels the update. */
  readonly signal: AbortSignal;
}

/** Result of a refresh. */
export interface Reading {
  /** Outputs that changed outside Pulumi; all others keep their value from the state. */
  readonly outputs?: Properties;
  /** Differences from the inputs, in plain words; if there are any, the next update repairs them. */
  readonly drift?: readonly string[];
  /** How the drift is repaired. */
  readonly repair?: "update" | "replace";
}

/**
 * One resource type (methods, so that kinds with different inputs fit into one table). Inputs and states are plain here (secrets
 * unwrapped); the provider wraps stored values. Outputs are the inputs plus the results of create, update and read.
 */
export interface ResourceKind<Inputs> {
  /** Strict: rejects unknown properties by name. */
  readonly inputs: z.ZodObject;
  /** Inputs that `update` can change; a change of any other input replaces the resource. */
  readonly updatable?: readonly string[];
  /** Outputs that are stored encrypted. */
  readonly secretOutputs?: readonly string[];
  /** Whether the old resource must be deleted first, because both would have the same name. */
  deleteBeforeReplace?(olds: Inputs, news: Inputs): boolean;
  create(inputs: Inputs, context: Context): Promise<{ id: string; outputs: Properties }>;
  /** Returns undefined if the resource is gone. Without this method a refresh keeps the state. */
  read?(id: string, state: Inputs & Properties, context: Context): Promise<Reading | undefined>;
  update?(id: string, olds: Inputs & Properties, news: Inputs, context: Context): Promise<Properties>;
  /** Resolves when the resource is gone; succeeds if it was already gone. */
  delete?(id: string, state: Inputs & Properties, context: Context): Promise<void>;
}

/** A kind with any type of inputs, for the provider. */
export type AnyResourceKind = ResourceKind<Properties>;
