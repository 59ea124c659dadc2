import { randomBytes } from "node:crypto";
import { PassThrough, Transform } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";
import type { ClientPrograms } from "../database/programs.ts";
import { libpqEnvironment, libpqUser } from "../database/libpq-environment.ts";
import { type Execute, unlessAborted } from "@routeql/host/program-streams";
import type { StackValues } from "../stack/outputs.ts";
import { valuesOf } from "../stack/values.ts";
import { type Connection, connectTo } from "./connect.ts";
import { databasePod, runsItself } from "./database-pod.ts";
import { executeInPod } from "./execute.ts";
import { authorityInPod, clientsBeside } from "./outside-database.ts";
import type { Place } from "./place.ts";
import type { Pod } from "./pods.ts";

/** Says that the password may come: a terminal does not show it any more. */
const takesPassword = Buffer.of(0x1e);

/** The password is the first line of the input, so that neither the API server's audit log nor a list of processes has it. */
const takePassword = `stty -echo 2>/dev/null; printf '\\036'; IFS= read -r PGPASSWORD; export PGPASSWORD; stty echo 2>/dev/null`;

/** The program takes what else comes in, and has this terminal. */
const inTerminal = `${takePassword}; exec env "$@"`;

/**
 * The program takes what else comes in, as far as it wants. Its end is said among its errors, by a word that nobody knows before, and
 * what is under way then is read to its end: the API server loses a connection, or waits for ever, where a program leaves input behind.
 */
const withInput = `${takePassword}; env "$@"; code=$?; printf '%s' "$0" >&2; cat >/dev/null; exit "$code"`;

/**
 * Nothing else comes in, so the end of the input is that of the connection: the program ends with it, where else it would wait for
 * ever, with its locks, for somebody to take its output. Both processes are waited for: one that is left behind becomes a child of
 * process 1, Postgres itself, which takes its end for a crash of its own and restarts.
 */
const withoutInput = `${takePassword}; exec 3<&0
env "$@" </dev/null & program=$!
{ read -r _ <&3; kill "$program"; } >/dev/null 2>&1 & watch=$!
wait "$program"; code=$?
kill "$watch" 2>/dev/null
wait "$watch"
exit "$code"`;

/** Passes on all but the first occurrence of a mark, and calls once when that comes. */
export function withoutMark(mark: Buffer, onMark: () => void): Transform {
  let found = false;
  let held = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (found) return done(null, chunk);
      const text = Buffer.concat([held, chunk]);
      const at = text.indexOf(mark);
      if (at < 0) {
        // The end of it may be a mark's beginning.
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

/** Ends a stream and waits until all that went in has come out. */
const drained = (stream: Transform): Promise<void> => new Promise((resolve) => stream.once("end", resolve).end());

/**
 * Runs programs in a pod, with this environment and this password.
 * @param environment `NAME=value`, nothing secret: the API server may record it
 */
function programsInPod(config: KubeConfig, place: Place, pod: Pod, environment: readonly string[], password: string): Execute {
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
      const code = await executeInPod(config, place, pod, ["sh", "-c", script, end, ...environment, ...program], streams);
      // All of it is passed on before the program is said to have ended.
      await unlessAborted(Promise.all([drained(fromPod), drained(errorsFromPod)]), signal);
      return code;
    } finally {
      input?.unpipe(toPod);
      fromPod.unpipe(output);
      errorsFromPod.unpipe(errors);
    }
  };
}

/**
 * The pod of the stack's database (of a cluster's, the one that takes changes), or one beside the stack where the database is outside.
 * @throws Failure when the stack is not up, or its database cannot be reached
 */
export async function openProgramsInCluster(place: Place, stack: string, signal?: AbortSignal): Promise<ClientPrograms> {
  const values = await valuesOf(stack);
  const connection = await connectTo(place, stack, signal);
  const { database, databasePasswords: passwords } = values;
  if (runsItself(database)) {
    const pod = await databasePod(connection.cluster, place, values, stack);
    const environment = libpqEnvironment({ host: "127.0.0.1", port: database.port, name: database.name });
    return {
      as: (role) => programsInPod(connection.config, place, pod, [...environment, libpqUser(role)], passwords[role]),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  return openProgramsBeside(connection, place, values, signal);
}

/** A pod beside the stack that reaches the database as the migrate job does. */
export async function openProgramsBeside({ config, cluster }: Connection, place: Place, values: StackValues, signal?: AbortSignal): Promise<ClientPrograms> {
  const { database, databasePasswords: passwords } = values;
  const beside = await clientsBeside(cluster, place, values, signal);
  const environment = libpqEnvironment(database, database.authority === undefined ? undefined : authorityInPod);
  return {
    as: (role) => programsInPod(config, place, beside.pod, [...environment, libpqUser(role)], passwords[role]),
    [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose](),
  };
}
