import { randomBytes } from "node:crypto";
import { PassThrough, Transform } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";
import type { ClientPrograms } from "../../place/programs.ts";
import { libpqEnvironment, libpqUser, withinDatabase } from "../../place/connection-settings.ts";
import { type Execute, unlessAborted } from "@routeql/host/program-streams";
import { type StackValues, valuesOf } from "../../pulumi/outputs.ts";
import { type Connection, connectTo } from "../connection/connect.ts";
import { databasePod, runsItself } from "./database-pod.ts";
import { executeInPod } from "../connection/execute.ts";
import { authorityInPod, clientsBeside } from "./outside-database.ts";
import type { Place } from "../place.ts";
import type { Pod } from "../pods.ts";

/** Signals that the shell is ready for the password: the terminal no longer echoes it. */
const takesPassword = Buffer.of(0x1e);

/** The password is the first line of the input, so that it appears neither in the API server's audit log nor in a list of processes. */
const takePassword = `stty -echo 2>/dev/null; printf '\\036'; IFS= read -r PGPASSWORD; export PGPASSWORD; stty echo 2>/dev/null`;

/** The program reads the remaining input and uses this terminal. */
const inTerminal = `${takePassword}; exec env "$@"`;

/**
 * The program reads as much of the remaining input as it needs. Its standard error reports its end with an unpredictable word. The
 * remaining input is then read to its end: the API server drops the connection, or waits for ever, when a program leaves input unread.
 */
const withInput = `${takePassword}; env "$@"; code=$?; printf '%s' "$0" >&2; cat >/dev/null; exit "$code"`;

/**
 * No further input follows, so the end of the input means the end of the connection: the shell then stops the program, which would
 * otherwise block on its output for ever and keep its locks. The shell waits for both processes: an orphan becomes a child of process 1,
 * which is Postgres; it mistakes the orphan's exit for a crash and restarts.
 */
const withoutInput = `${takePassword}; exec 3<&0
env "$@" </dev/null & program=$!
{ read -r _ <&3; kill "$program"; } >/dev/null 2>&1 & watch=$!
wait "$program"; code=$?
kill "$watch" 2>/dev/null
wait "$watch"
exit "$code"`;

/** Passes on everything but the first occurrence of a mark, and calls once when the mark arrives. */
export function withoutMark(mark: Buffer, onMark: () => void): Transform {
  let found = false;
  let held = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (found) return done(null, chunk);
      const text = Buffer.concat([held, chunk]);
      const at = text.indexOf(mark);
      if (at < 0) {
        // The end of the text may be the start of a mark.
        const rest = text.lastIndexOf(mark[0]!);
        const from = rest >= 0 && mark.subarray(0, text.length - rest).equals(text.subarray(rest)) ? rest : text.length;
        held = text.subarray(from);
        return done(null, text.subarray(0, from));
      }
      found = true;
      held = Buffer.alloc(0);
      onMark();
      done(null, Buffer.concat([text.subarray(0, at), text.subarray(at + mark.length)]));
    },
    flush: (done) => done(null, held),
  });
}

/** Ends a stream and waits until all its input has been read. */
const drained = (stream: Transform): Promise<void> => new Promise((resolve) => stream.once("end", resolve).end());

/** Runs programs in a pod. @param environment `NAME=value`, without secrets: the API server may record it */
function programsInPod(
  config: KubeConfig,
  place: Place,
  pod: Pod,
  environment: readonly string[],
  password: string,
): Execute {
  return async (program, { input, output, errors, terminal, signal }) => {
    const end = `\u001e${randomBytes(12).toString("hex")}`;
    const script = terminal ? inTerminal : input ? withInput : withoutInput;
    const toPod = new PassThrough();
    const fromPod = withoutMark(takesPassword, () => {
      toPod.write(`${password}\n`);
      input?.pipe(toPod);
    });
    const errorsFromPod = withoutMark(Buffer.from(end), () => {
      input?.unpipe(toPod);
      toPod.end();
    });
    fromPod.pipe(output, { end: false });
    errorsFromPod.pipe(errors, { end: false });
    try {
      const streams = { input: toPod, output: fromPod, errors: errorsFromPod, terminal, signal };
      const code = await executeInPod(
        config,
        place,
        pod,
        ["sh", "-c", script, end, ...environment, ...program],
        streams,
      );
      // All output is passed on before the program's end is reported.
      await unlessAborted(Promise.all([drained(fromPod), drained(errorsFromPod)]), signal);
      return code;
    } finally {
      input?.unpipe(toPod);
      fromPod.unpipe(output);
      errorsFromPod.unpipe(errors);
    }
  };
}

/** The pod of the stack's database (a cluster's primary), or one beside the stack for an external one. @throws Failure */
export async function openProgramsInCluster(
  place: Place,
  stack: string,
  signal?: AbortSignal,
): Promise<ClientPrograms> {
  const values = await valuesOf(stack);
  const connection = await connectTo(place, stack, signal);
  const { database, databasePasswords: passwords } = values;
  if (runsItself(database)) {
    const pod = await databasePod(connection.cluster, place, values, stack);
    const reach = withinDatabase(database);
    const environment = libpqEnvironment(reach);
    return {
      reach,
      values,
      as: (role) =>
        programsInPod(connection.config, place, pod, [...environment, libpqUser(role, database)], passwords[role]),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  return openProgramsBeside(connection, place, values, signal);
}

/** A pod beside the stack that reaches the database like the migrate job. */
export async function openProgramsBeside(
  { config, cluster }: Connection,
  place: Place,
  values: StackValues,
  signal?: AbortSignal,
): Promise<ClientPrograms> {
  const { database, databasePasswords: passwords } = values;
  const beside = await clientsBeside(cluster, place, values, signal);
  const environment = libpqEnvironment(database, database.authority === undefined ? undefined : authorityInPod);
  return {
    reach: database,
    values,
    as: (role) =>
      programsInPod(config, place, beside.pod, [...environment, libpqUser(role, database)], passwords[role]),
    [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose](),
  };
}
