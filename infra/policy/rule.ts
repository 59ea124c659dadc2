/**
 * What a policy is: a name, a reason, and a look at one resource's inputs as they were declared. The same rules run in a policy pack
 * (CrossGuard) and inside the project's own runs.
 * @module
 */

/** In the place of a value that is secret: rules may know that it is there, not what it is. */
export const hidden = Symbol("secret");

/** A resource's inputs with secrets hidden; what is not yet known is absent. */
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
  /** What is wrong, each the end of a sentence that begins with the resource; empty when all is well. */
  readonly violations: (resource: PlannedResource) => readonly string[];
  /** Violations are warnings unless a setting says otherwise. */
  readonly advisory?: true;
}

/** What happens with the violations of advisory rules. */
export type AdvisoryLevel = "warn" | "refuse" | "ignore";

export const recordOf = (value: unknown): Inputs =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Inputs) : {};

/** A text, or nothing where there is none. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);
