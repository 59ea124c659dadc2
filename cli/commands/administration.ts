import { Readable } from "node:stream";
import {
  AdministrationError,
  parseCommand,
  type Subject,
  UnknownCommand,
  verbLines,
  verbs,
} from "@routeql/auth-sidecar/administration/command";
import { readNewPassword } from "@routeql/auth-sidecar/administration/read-password";
import { isRoleName } from "@routeql/contract/roles";
import { dockerClient } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import { explain, Failure } from "@routeql/host/failure";
import { ownOutputs, type ProgramStreams } from "@routeql/host/program-streams";
import { nearest } from "@routeql/metadata/nearest";
import type Docker from "dockerode";
import { explainable } from "./run-command.ts";
import { type Command, notUp, stackArgument } from "../foundation/command.ts";
import { connectTo } from "../kubernetes/connect.ts";
import { executeInPod } from "../kubernetes/execute.ts";
import { type Place, placeOf } from "../kubernetes/place.ts";
import { readyPod } from "../kubernetes/pods.ts";
import { requireOwn } from "../stack/ownership.ts";

export const users = administrationCommand("users", "Manages the accounts of a running stack.", [
  "ACCOUNT is an e-mail address or an id; --provider ldap selects the accounts of the directory.\n" +
    "ROLE is pending, viewer, analyst, tenant, operator, or one of your own metadata. docs/operate/users.md describes the roles.",
  "A password comes only from a prompt without echo or from standard input:\n" +
    "  npm run --silent users -- add a@example.net --role viewer <password.txt",
]);

export const keys = administrationCommand("keys", "Manages the keys that sign the tokens of a running stack.", [
  "KEY is an id of `npm run keys -- list`. docs/operate/users.md explains when to rotate and when to retire a key.",
]);

function containersOf(stack: string, docker: Docker): Promise<Docker.ContainerInfo[]> {
  const label = [`com.routeql.stack=${stack}`, "com.routeql.service=auth-sidecar", "com.routeql.run=service"];
  return docker.listContainers({ all: true, filters: { label } });
}

/** The running container of a stack's auth sidecar. @throws Failure when no container runs */
export async function sidecarContainer(stack: string, docker = dockerClient()): Promise<Docker.Container> {
  const containers = await containersOf(stack, docker);
  const [found] = containers;
  if (found === undefined) throw notUp(stack);
  const running = containers.find(({ State }) => State === "running");
  if (running === undefined) {
    throw new Failure(`The auth sidecar of the stack ${stack} does not run (it is ${found.State})`, {
      remedy: `run \`npm run up${stackArgument(stack)}\`: it repairs the stack.`,
    });
  }
  return docker.getContainer(running.Id);
}

const program = ["node", "auth-sidecar/src/administration/main.ts"] as const;

/** Whether a command needs a new password. An invalid command line fails before the prompt. @throws Failure */
export function asksForPassword(subject: Subject, words: readonly string[]): boolean {
  const refused = (what: string, hint = ""): Failure =>
    new Failure(`${subject}: ${what}`, { remedy: `${hint}\`npm run ${subject} -- --help\` lists its options.` });
  const known = verbs[subject];
  try {
    const { words: found, options } = parseCommand([subject, ...words], readNewPassword);
    const [name = "", account] = found;
    return (
      known[name]?.password === true && account !== undefined && (name !== "add" || isRoleName(options.role ?? ""))
    );
  } catch (error) {
    if (error instanceof UnknownCommand) {
      const { verb } = error;
      if (verb === undefined) throw refused(`which command? One of ${Object.keys(known).join(", ")}`);
      const guess = nearest(verb, Object.keys(known));
      throw refused(`unknown command ${verb}`, guess === undefined ? "" : `did you mean ${guess}? `);
    }
    throw error instanceof AdministrationError ? refused(error.message.replace(/^Unknown/, "unknown")) : error;
  }
}

async function administer(stack: string, subject: Subject, words: readonly string[]): Promise<number> {
  const asks = asksForPassword(subject, words);
  return inSidecar(stack, [subject, ...words], async () => ({
    ...ownOutputs,
    // This process prompts, because the program in the container has no terminal and its two outputs must stay separate.
    input: asks ? Readable.from([Buffer.from(`${await readNewPassword()}\n`)]) : undefined,
  }));
}

/** Runs a command of the administration in the stack's auth sidecar and returns its exit code. @throws Failure when none runs */
export async function inSidecar(
  stack: string,
  words: readonly string[],
  streams: () => Promise<ProgramStreams>,
): Promise<number> {
  const place = await placeOf(stack);
  const command = [...program, ...words];
  if (place) return executeInSidecar(place, stack, command, await streams());
  await requireOwn(stack);
  return execute(await sidecarContainer(stack), command, await streams());
}

/** Ctrl-C or Ctrl-D at the prompt. */
const isAbandonedPrompt = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

/** `npm run users` and `npm run keys`: runs the administration program of the auth sidecar inside its container. */
function administrationCommand(subject: Subject, summary: string, notes: readonly string[]): Command {
  return {
    description: {
      name: subject,
      summary,
      operands: "COMMAND …",
      options: { json: { type: "boolean", meaning: "print JSON instead of tables" } },
      passesOn: true,
      notes: [`Commands:\n${verbLines(subject)}`, ...notes],
    },
    onInterrupt: "own",
    async run(stack, args) {
      const words = args.flag("json") ? [...args.rest, "--json"] : args.rest;
      try {
        return await administer(stack, subject, words);
      } catch (error) {
        if (isAbandonedPrompt(error)) {
          console.error("\nNothing was changed.");
          return 130;
        }
        console.error(error instanceof AdministrationError ? error.message : `\n${explain(explainable(error))}`);
        return 1;
      }
    },
  };
}

/** Runs a program of the auth sidecar in one of its pods and returns its exit code. */
async function executeInSidecar(
  place: Place,
  stack: string,
  program: readonly string[],
  streams: ProgramStreams,
): Promise<number> {
  const { config, cluster } = await connectTo(place, stack);
  const pod = await readyPod(cluster, place, "auth-sidecar", stack);
  return executeInPod(config, place, pod, program, streams);
}
