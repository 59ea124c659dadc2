import { channelBindings, sslModes } from "@routeql/contract/connection/connection";
import { readdir } from "node:fs/promises";
import { notUp } from "../foundation/command.ts";
import { Failure } from "@routeql/host/failure";
import { stackPaths } from "@routeql/host/paths";
import { run } from "@routeql/host/process";
import { acquireCli } from "./acquire.ts";
import { z } from "zod";
import { inheritedEnvironment } from "./environment.ts";
import { cliEnvironment, passphraseFailure } from "./pulumi-command.ts";

const databasePasswords = z.object({
  owner: z.string(),
  engine: z.string(),
  sidecar: z.string(),
  loader: z.string(),
  backup: z.string(),
  // Stacks of version 0.1.0 do not list it.
  metadata: z.string().default(""),
  // Empty without their service.
  monitor: z.string().default(""),
  feed: z.string().default(""),
});

/** Address of the database. Stacks of version 0.1.0 have no second logins. */
const database = z.object({
  host: z.string(),
  port: z.number(),
  name: z.string(),
  sslmode: z.enum(sslModes).optional(),
  sslrootcert: z.literal("system").optional(),
  channelBinding: z.enum(channelBindings).optional(),
  authority: z.string().optional(),
  clientImage: z.string(),
  secondLogins: z.boolean().default(false),
});

const outputs = z.object({
  url: z.url(),
  consoleUrl: z.url().optional(),
  caCertificate: z.string(),
  serviceApiKey: z.string(),
  engineAccessKey: z.string(),
  adminEmail: z.string(),
  adminPassword: z.string(),
  databasePasswords,
  database,
  services: z.array(z.object({ service: z.string(), container: z.string(), image: z.string() })),
});

/** The program's outputs with their values; most are secret. */
export type StackValues = z.infer<typeof outputs>;
export type DatabaseReach = StackValues["database"];
export type DatabaseRole = keyof z.infer<typeof databasePasswords>;
export const databaseRoles = Object.keys(databasePasswords.shape) as readonly DatabaseRole[];

/** @throws Failure when the stack has no outputs, as before its first successful update */
export function readOutputs(values: Readonly<Record<string, unknown>>, stack: string): StackValues {
  const result = outputs.safeParse(values);
  if (result.success) return result.data;
  throw notUp(stack);
}

/** The outputs of a running stack, read from its state. @throws Failure when it is not running */
export async function valuesOf(stack: string): Promise<StackValues> {
  const paths = stackPaths(stack);
  const states = await readdir(`${paths.state}/.pulumi/stacks/routeql`).catch(() => []);
  if (!states.some((name) => name.startsWith(`${stack}.json`))) {
    throw notUp(stack);
  }
  const quiet = (): void => undefined;
  const cli = await acquireCli({ say: quiet, show: quiet, onLine: quiet, signal: new AbortController().signal });
  // Not through the Automation API: loading it, and its two calls with and without secrets, take longer than all other steps of a command.
  const { stdout } = await run(
    cli.command.command,
    ["stack", "output", "--json", "--show-secrets", "--stack", stack, "--non-interactive"],
    { environment: { ...inheritedEnvironment(), ...cliEnvironment(paths) }, workingDirectory: paths.workspace },
  ).catch((error: unknown) => {
    const lines = error instanceof Failure ? error.lastLines.join("\n") : "";
    throw passphraseFailure(lines, error) ?? error;
  });
  return readOutputs(JSON.parse(stdout) as Readonly<Record<string, unknown>>, stack);
}
