import { randomBytes } from "node:crypto";
import { runId } from "./run.ts";

/** A unique name for a test's own stack; clean-up.ts finds the stack's remains on the Docker daemon and below .routeql by it. */
export const newStackName = (kind: string): string => `${kind}-${runId}-${randomBytes(3).toString("hex")}`;

/** Whether {@link newStackName} created this name in this run. */
export const isStackOf = (run: string, name: string): boolean => name.includes(`-${run}-`);
