import { PassThrough, Transform } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";
import type { ClientPrograms } from "../database/client-programs.ts";
import { libpqEnvironment, libpqUser } from "../database/libpq-environment.ts";
import { type Execute, unlessAborted } from "../foundation/program-streams.ts";
import { valuesOf } from "../stack/values.ts";
import { connectTo } from "./connect.ts";
import { databasePod } from "./database-pod.ts";
import { executeInPod } from "./execute.ts";
import type { Place } from "./place.ts";
import type { Pod } from "./pods.ts";

/** Says that the password may come: a terminal does not show it any more. */
const mark = 0x1e;

/** The password is the first line of the input, so that neither the API server's audit log nor a list of processes has it. */
const takePassword = `stty -echo 2>/dev/null; printf '\\036'; IFS= read -r PGPASSWORD; export PGPASSWORD; stty echo 2>/dev/null`;

/** The program takes what else comes in. */
const withInput = `${takePassword}; exec env "$@"`;

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

/** Passes on what follows the mark, and calls once when that comes. */
function afterMark(onMark: () => void): Transform {
  let found = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const at = found ? -1 : chunk.indexOf(mark);
      done(null, chunk.subarray(at + 1));
      if (at < 0) return;
      found = true;
      onMark();
    },
  });
}

/**
 * Runs programs in a pod, with this environment and this password.
 * @param environment `NAME=value`, nothing secret: the API server may record it
 */
export function programsInPod(config: KubeConfig, place: Place, pod: Pod, environment: readonly string[], password: string): Execute {
  return async (program, { input, output, ...streams }) => {
    const toPod = new PassThrough();
    const fromPod = afterMark(() => {
      toPod.write(`${password}\n`);
      input?.pipe(toPod);
    });
    fromPod.pipe(output, { end: false });
    const script = ["sh", "-c", input === undefined ? withoutInput : withInput, "sh", ...environment, ...program];
    try {
      const code = await executeInPod(config, place, pod, script, { ...streams, input: toPod, output: fromPod });
      // What has come in is passed on to its end before the program is said to have ended.
      await unlessAborted(new Promise<void>((resolve) => fromPod.once("end", resolve).end()), streams.signal);
      return code;
    } finally {
      input?.unpipe(toPod);
      fromPod.unpipe(output);
    }
  };
}

/**
 * The pod of the stack's database; of a cluster's, the one that takes changes.
 * @throws Failure when the stack is not up, or its database cannot be reached
 */
export async function openProgramsInCluster(place: Place, stack: string, signal?: AbortSignal): Promise<ClientPrograms> {
  const values = await valuesOf(stack);
  const { config, cluster } = await connectTo(place, stack, signal);
  const pod = await databasePod(cluster, place, values, stack);
  const { port, name } = values.database;
  const environment = libpqEnvironment({ host: "127.0.0.1", port, name });
  return {
    as: (role) => programsInPod(config, place, pod, [...environment, libpqUser(role)], values.databasePasswords[role]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
