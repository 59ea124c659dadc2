import { randomBytes } from "node:crypto";
import { runId } from "./run.ts";

/** Name for a stack that a test brings up itself: unique, and by it clean-up.ts knows what the stack left on the Docker engine and below .routeql. */
export const newStackName = (kind: string): string => `${kind}-${runId}-${randomBytes(3).toString("hex")}`;

/** Whether a stack's name was made by {@link newStackName} in this run. */
export const isStackOf = (run: string, name: string): boolean => name.includes(`-${run}-`);
