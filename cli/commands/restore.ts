import { resolve } from "node:path";
import { dockerClient } from "@routeql/host/docker/client";
import { lastLogLines } from "@routeql/host/docker/output";
import { Failure, messageOf } from "@routeql/host/failure";
import { NotReady, untilReady } from "@routeql/host/kubernetes/await";
import { runInterruptibly } from "./options.ts";
import { openClientPrograms } from "../database/client-programs.ts";
import { showProgress } from "../database/counted.ts";
import { recordRun } from "../database/programs.ts";
import { restoreFrom } from "../database/restore.ts";
import type { Command } from "../foundation/command.ts";
import { connectTo } from "../kubernetes/connect.ts";
import { startJobLikeMigrate } from "../kubernetes/job-like-migrate.ts";
import { type Place, placeOf } from "../kubernetes/place.ts";
import { requireOwn } from "../stack/ownership.ts";
import { valuesOf } from "../stack/outputs.ts";

const failed = (what: string, lastLines: readonly string[], cause?: unknown): Failure =>
  new Failure(`The data is restored, but the migrate job ${what}`, {
    lastLines,
    remedy: "fix the cause, then run the restore again with --replace.",
    cause,
  });

async function onDocker(stack: string): Promise<void> {
  await requireOwn(stack);
  const container = dockerClient().getContainer(`routeql-${stack}-migrate`);
  await container.start();
  const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
  if (code !== 0) throw failed(`ended with ${code}`, await lastLogLines(container, 20));
}

async function inCluster(stack: string, place: Place, signal: AbortSignal): Promise<void> {
  try {
    const { cluster } = await connectTo(place, stack, signal);
    await using job = await startJobLikeMigrate(cluster, place, await valuesOf(stack), {
      purpose: "migrate-again",
      signal,
    });
    await untilReady(job.object, job.reference, cluster, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof NotReady
      ? failed("has failed", error.reasons, error)
      : failed(`could not be started: ${messageOf(error)}`, [], error);
  }
}

/**
 * Runs the stack's migrate job again: missing migrations and the permissions of each role.
 * @throws Failure with its last lines when it fails
 */
async function runMigrations(stack: string, signal: AbortSignal): Promise<void> {
  const place = await placeOf(stack);
  await (place ? inCluster(stack, place, signal) : onDocker(stack));
}

export const command: Command = {
  description: {
    name: "restore",
    summary: "Restores a backup into the stack's database, which must be empty.",
    operands: "FILE",
    options: { replace: { type: "boolean", meaning: "delete the current content of the database" } },
    notes: [
      "If the restore fails, the database keeps its content. Meanwhile queries and logins wait or fail.",
      "The signing keys and the first password need the secrets of the original stack: docs/operate/backup.md.",
    ],
  },
  run: (stack, args) =>
    runInterruptibly(async (signal) => {
      const [file, ...others] = args.rest;
      if (file === undefined || others.length > 0) {
        throw new Failure("restore requires one FILE", {
          remedy: "npm run restore -- FILE, where `npm run backup` wrote the file.",
        });
      }
      const started = performance.now();
      await using programs = await openClientPrograms(stack, signal);
      const { show, end } = showProgress("read");
      try {
        await restoreFrom(programs, resolve(file), { replace: args.flag("replace"), show });
      } finally {
        end();
      }
      await runMigrations(stack, signal);
      await recordRun(programs, "restore", started);
      console.log(`The database of the stack ${stack} now has the content of ${file}.`);
      return 0;
    }),
};
