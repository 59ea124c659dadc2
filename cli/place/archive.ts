/** The continuous archive of a stack's own database. */
import type { Writable } from "node:stream";
import { Failure } from "@routeql/host/failure";
import { stackArgument } from "../foundation/command.ts";

export interface Archive {
  /** Backs up the database, or proves that the archive restores. @param output default: this process's. @throws Failure with the last lines */
  run(command: ArchiveCommand, signal: AbortSignal, output?: Writable): Promise<void>;
  /**
   * Replaces the database by its state at a moment.
   * @param point a time or `latest`
   * @param replace also changes that the archive lacks
   * @param remember reads what survives
   * @returns what `remember` read @throws Failure
   */
  restoreTo<State>(
    point: string,
    replace: boolean,
    signal: AbortSignal,
    remember: () => Promise<State>,
  ): Promise<State>;
}

export type ArchiveCommand = "backup" | "drill";

export const noArchive = (stack: string): Failure =>
  new Failure(`The stack ${stack} has no archive`, {
    remedy:
      `on Docker set ARCHIVE=true (built images, DATABASE=single) and run \`npm run up${stackArgument(stack)}\`. ` +
      "CloudNativePG: docs/operate/kubernetes.md. An external database: its owner.",
  });

/** @throws Failure for a text that is no time, or a time in the future */
export function readTime(text: string, now = new Date()): string {
  const time = new Date(text);
  const remedy = "give a time with its zone, such as 2026-01-31T13:45:00Z.";
  if (!/(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(time.getTime()))
    throw new Failure(`--to-time ${JSON.stringify(text)} is not a time with a zone`, { remedy });
  if (time > now) throw new Failure(`--to-time ${text} is in the future`, { remedy });
  return `${time.toISOString().replace("T", " ").replace("Z", "")}+00`;
}
