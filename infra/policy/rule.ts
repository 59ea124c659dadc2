/**
 * A policy has a name, a reason and a check of one resource's declared inputs. The same rules run in a policy pack (CrossGuard) and in
 * the project's own runs.
 * @module
 */

/** Replaces a secret value: rules may know that it exists, but not its content. */
export const hidden = Symbol("secret");

/** A resource's inputs with secrets hidden and without unknown values. */
export type Inputs = Readonly<Record<string, unknown>>;

export interface PlannedResource {
  /** `docker:index/container:Container`, `kubernetes:apps/v1:Deployment`, … */
  readonly type: string;
  readonly name: string;
  readonly inputs: Inputs;
}

export interface Rule {
  /** Lower-case words with hyphens. */
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** All problems, each the end of a sentence that begins with the resource; empty if there are none. */
  readonly violations: (resource: PlannedResource) => readonly string[];
  /** Violations are warnings unless a setting says otherwise. */
  readonly advisory?: true;
}

/** Treatment of the violations of advisory rules. */
export type AdvisoryLevel = "warn" | "refuse" | "ignore";

export const recordOf = (value: unknown): Inputs =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Inputs) : {};

/** The text, or an empty text for other values. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];
