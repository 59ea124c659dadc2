import { withoutDaemon } from "@routeql/host/docker/client";
import { explain, Failure } from "@routeql/host/failure";
import { onInterrupt } from "@routeql/host/process";
import { projectFolder } from "@routeql/host/paths";
import { DatabaseError } from "pg";
import type { Command, ParsedArguments } from "../foundation/command.ts";
import { continueWithoutOutput, endWithOutput } from "../foundation/lost-output.ts";
import { unwritable } from "../bootstrap/rights.mjs";
import { withoutRights } from "../kubernetes/connection/connection-error.ts";
import { logFileOf } from "../pulumi/session.ts";

/** Classes of SQLSTATE by which the server, not the statement, refuses: connection, login, read-only, resources, operator intervention. */
const ofServer = /^(08|25006|28|53|57)/;

/** A statement that the state of the database refuses, such as while it is read-only or its disk is full. */
const refused = (error: unknown): unknown =>
  error instanceof DatabaseError && ofServer.test(error.code ?? "")
    ? new Failure(`The database refuses: ${error.message}`, {
        remedy: "npm run status names the problem of the database and the next command.",
        cause: error,
      })
    : error;

/** Adds a remedy to errors of Docker, Kubernetes, Postgres and the file system. */
export function explainable(error: unknown): unknown {
  const problem = unwritable(error, projectFolder);
  return problem === undefined
    ? withoutRights(withoutDaemon(refused(error)))
    : new Failure(problem.what, { remedy: problem.remedy, cause: error });
}

/** Runs a command. Handles Ctrl-C and explains an error with its log. Resolves to the exit code. */
export async function runCommand(command: Command, stack: string, args: ParsedArguments): Promise<number> {
  continueWithoutOutput();
  if (command.endsWithOutput) endWithOutput();
  const say = command.onInterrupt === "silent" ? () => undefined : (text: string) => console.error(`\n${text}`);
  const signal = command.onInterrupt === "own" ? new AbortController().signal : onInterrupt(say);
  try {
    return (await command.run(stack, args, signal)) ?? 0;
  } catch (error) {
    console.error(`\n${explain(signal.aborted ? signal.reason : explainable(error), logFileOf(error))}`);
    return signal.aborted ? 130 : 1;
  }
}
