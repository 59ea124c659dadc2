import { stat } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure, messageOf } from "@routeql/host/failure";
import { stackPaths } from "@routeql/host/paths";
import { lastWords } from "@routeql/host/program-streams";
import { inSidecar } from "../stack/in-sidecar.ts";
import { readTime } from "../place/archive.ts";
import { openClientPrograms } from "../database/client-programs.ts";
import { openDatabase } from "../database/open-database.ts";
import { showProgress } from "../database/transferred-bytes.ts";
import { recordBackupOf, recordRun } from "../place/programs.ts";
import { carryOverTo, rememberState } from "../database/carry-over.ts";
import { restoreFrom } from "../database/restore.ts";
import { createFromBackup } from "../stack/create-from-backup.ts";
import { privateCopyOf } from "../saved-state/private-copy.ts";
import { type Command, type ParsedArguments, stackArgument, stackOption } from "../foundation/command.ts";
import { archiveAdvice, archiveFacts } from "../status/archive-facts.ts";
import { openPlace } from "../open-place.ts";
import type { Job } from "../place/stack-place.ts";
import { accessOf } from "../access/access.ts";
import { loginStatus } from "../access/api-client.ts";

/** Runs a job of the stack again: `migrate` for missing migrations and permissions. @throws Failure with its last lines */
async function runAgain(stack: string, job: Job, signal: AbortSignal): Promise<void> {
  const place = await openPlace(stack);
  const failure = await place.runJob(job, signal);
  if (failure === undefined) return;
  throw new Failure(`The data is restored, but the ${job} job ${failure.what}`, {
    lastLines: failure.lastLines,
    remedy: "fix the cause, then run the restore again; a FILE needs --replace.",
    cause: failure.cause,
  });
}

/** Milliseconds: the sidecar reads its keys again every few seconds. */
const longestWait = 60_000;

/** Lets clients log in again, with open keys and without counted failures. @returns which password is valid @throws Failure */
async function openLogins(stack: string, signal: AbortSignal): Promise<string> {
  const end = performance.now() + longestWait;
  for (const words of [
    ["keys", "retire-unopened"],
    ["users", "unlock"],
  ]) {
    for (;;) {
      const said = lastWords();
      const code = await inSidecar(stack, words, async () => ({ output: said.stream, errors: said.stream, signal }));
      if (code === 0) break;
      // The services connect again after the restore.
      if (performance.now() > end)
        throw new Failure(`The data is restored, but ${words.join(" ")} failed in the auth sidecar`, {
          lastLines: said.lines(),
          remedy: `npm run status${stackArgument(stack)} shows the cause; then run npm run ${words[0]} --${stackOption(stack)} ${words[1]}.`,
        });
      await sleep(1000, undefined, { signal });
    }
  }
  const access = await accessOf(stack);
  const { adminEmail: email, adminPassword: password } = access;
  for (;;) {
    const status = await loginStatus(access, { email, password }).catch((error: unknown) => messageOf(error));
    if (typeof status === "string") return `The login was not checked. ${status}.`;
    if (status === 200) return `Logins work: ${email} has the password in access.env.`;
    if (status === 401 || status === 403)
      return (
        `Logins work, but the password in access.env does not open ${email}: accounts and passwords are those of the backup. ` +
        `To set the one in access.env: (. ${relative(process.cwd(), stackPaths(stack).accessFile)}; printf '%s\\n' "$ADMIN_PASSWORD" | ` +
        `npm run --silent users --${stackOption(stack)} password "$ADMIN_EMAIL")`
      );
    if (performance.now() > end)
      throw new Failure(`The data is restored, but a login answers ${status}`, {
        remedy: `npm run status${stackArgument(stack)} names the service and the next command.`,
      });
    await sleep(1000, undefined, { signal });
  }
}

/** Restores the archive's state of a moment; accounts and keys are treated as in the restore of a file. */
async function toMoment(stack: string, point: string, args: ParsedArguments, signal: AbortSignal): Promise<void> {
  const started = performance.now();
  const archive = await (await openPlace(stack)).archive();
  const state = await archive.restoreTo(point, args.flag("replace"), signal, async () => {
    try {
      return await rememberState(() => openDatabase(stack, "owner"));
    } catch (error) {
      console.error(
        `The replaced database cannot be read, so no change of accounts and keys is kept. ${messageOf(error)}`,
      );
      return undefined;
    }
  });
  await runAgain(stack, "migrate", signal);
  // The moment may have had older metadata.
  await runAgain(stack, "apply-metadata", signal);
  const kept = await carryOverTo(() => openDatabase(stack, "owner"), state, args.flag("keep-keys"));
  await using programs = await openClientPrograms(stack, signal);
  await recordRun(programs, "restore", started);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`The database of the stack ${stack} now has its state of ${point}, after ${seconds} s.`);
  for (const sentence of kept) console.log(`- ${sentence}`);
  console.log(`- ${await openLogins(stack, signal)}`);
}

/** A new database may have the archive of the former one. */
async function adviceOnArchive(stack: string, signal: AbortSignal): Promise<readonly string[]> {
  const place = await openPlace(stack);
  const services = await place.services(signal);
  if (!services.some(({ service, state }) => service === "archive" && state === "running")) return [];
  return archiveAdvice(await archiveFacts(await place.enter("archive"), signal), stack);
}

export const command: Command = {
  description: {
    name: "restore",
    summary: "Restores a backup into the stack's database, which must be empty, or the archive's state of a moment.",
    operands: "[FILE]",
    options: {
      "to-time": { type: "string", value: "TIME", meaning: "replace the database by its state at this time (archive)" },
      latest: { type: "boolean", meaning: "replace the database by the newest state in the archive" },
      drill: { type: "boolean", meaning: "restore the newest backup beside the database and compare every table" },
      replace: {
        type: "boolean",
        meaning: "delete the current content of the database, or the changes that the archive lacks",
      },
      key: {
        type: "string",
        value: "FILE",
        meaning: "on an empty machine: create the stack from the state in FILE, with the private key of its recipient",
      },
      unauthenticated: { type: "boolean", meaning: "with --key: accept a complete backup without authentication" },
      "keep-keys": { type: "boolean", meaning: "keep the signing keys of the backup, so that their tokens stay valid" },
    },
    notes: [
      "If the restore fails, the database keeps its content. Meanwhile queries and logins wait or fail.",
      "Afterwards every access token is invalid; sessions request a new one. docs/operate/backup.md lists what the restore keeps.",
    ],
  },
  run: async (stack, args, signal) => {
    const [file, ...others] = args.rest;
    const time = args.optionalText("to-time");
    const ways = [file, time, ...["latest", "drill"].filter((name) => args.flag(name))];
    if (ways.filter((way) => way !== undefined).length !== 1 || others.length > 0) {
      throw new Failure("restore requires one FILE, --to-time TIME, --latest or --drill", {
        remedy: "npm run restore -- FILE, with a file that `npm run backup` wrote.",
      });
    }
    if (args.flag("drill")) {
      await (await (await openPlace(stack)).archive()).run("drill", signal);
      return;
    }
    const started = performance.now();
    if (file === undefined) {
      await toMoment(stack, time === undefined ? "latest" : readTime(time), args, signal);
      return;
    }
    const key = args.optionalText("key");
    // A user who can write the file could replace it while the stack starts.
    await using copy = key === undefined ? undefined : await privateCopyOf(resolve(file));
    const path = copy?.path ?? resolve(file);
    if (key !== undefined) await createFromBackup(stack, { path, file }, key, args.flag("unauthenticated"), signal);
    await using programs = await openClientPrograms(stack, signal);
    const { show, end } = showProgress("read");
    let kept: readonly string[];
    try {
      const options = { replace: args.flag("replace"), keepKeys: args.flag("keep-keys"), show };
      kept = await restoreFrom(programs, path, options);
    } finally {
      end();
    }
    await runAgain(stack, "migrate", signal);
    const { mtime, size } = await stat(resolve(file));
    await recordBackupOf(programs, mtime, size);
    await recordRun(programs, "restore", started);
    console.log(`The database of the stack ${stack} now has the content of ${file}.`);
    for (const sentence of kept) console.log(`- ${sentence}`);
    console.log(`- ${await openLogins(stack, signal)}`);
    if (key !== undefined) for (const sentence of await adviceOnArchive(stack, signal)) console.log(`- ${sentence}`);
  },
};
