import { PassThrough } from "node:stream";
import type { DatabaseRole } from "../stack/outputs.ts";
import { valuesOf } from "../stack/values.ts";
import { connectCluster } from "./connect.ts";
import { databasePod } from "./database-pod.ts";
import { executeInPod, passedOn } from "./execute.ts";
import type { Place } from "./place.ts";

/** Says that the password may come: a terminal does not show it any more. */
const mark = "\u001e";

/** The password is the first line of the input, so that neither the API server's audit log nor a list of processes has it. */
const script = `stty -echo 2>/dev/null; printf '\\036'; IFS= read -r PGPASSWORD; export PGPASSWORD; stty echo 2>/dev/null; exec psql "$@"`;

/** Runs psql in the database's pod with this terminal, or with these streams, and gives its exit code. */
export async function runPsqlInPod(place: Place, stack: string, role: DatabaseRole, args: readonly string[]): Promise<number> {
  const values = await valuesOf(stack);
  const { databasePasswords: passwords } = values;
  const { config, cluster } = await connectCluster();
  const pod = await databasePod(cluster, place, values, stack);
  const terminal = process.stdin.isTTY && process.stdout.isTTY;
  const input = new PassThrough();
  const output = new PassThrough();
  let asked = false;
  output.on("data", (chunk: Buffer) => {
    const text = chunk.toString("latin1");
    const at = asked ? -1 : text.indexOf(mark);
    process.stdout.write(at < 0 ? chunk : chunk.subarray(at + 1));
    if (at < 0) return;
    asked = true;
    input.write(`${passwords[role]}\n`);
    process.stdin.pipe(input);
  });
  const connection = ["--host=127.0.0.1", `--username=routeql_${role}`, "--dbname=routeql"];
  const environment = ["env", "PSQL_HISTORY=/dev/null", `TERM=${process.env["TERM"] ?? "dumb"}`, "PAGER=cat"];
  if (terminal) process.stdin.setRawMode(true);
  try {
    return await executeInPod(config, place, pod, [...environment, "sh", "-c", script, "psql", ...connection, ...args], {
      input,
      output,
      errors: terminal ? undefined : passedOn(process.stderr),
      terminal,
    });
  } finally {
    process.stdin.unpipe(input);
    process.stdin.pause();
    if (terminal) process.stdin.setRawMode(false);
  }
}
