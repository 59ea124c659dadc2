import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  LocalWorkspace,
  type LocalWorkspaceOptions,
  type PulumiFn,
  type ProjectSettings,
  type Stack,
} from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import type { PulumiCli } from "../pulumi/acquire.ts";
import { offline } from "../offline.ts";
import { type PluginKind, pulumiHome } from "../pulumi/plugins.ts";
import { guardGrpcServers, hostFolderVariable } from "@routeql/host/own-peers";
import { projectName, stackPaths, type StackPaths } from "@routeql/host/paths";
import { backendOf, cliEnvironment, inOwnProcessGroup } from "../pulumi/pulumi-command.ts";

guardGrpcServers();

export interface WorkspaceOptions {
  readonly stack: string;
  readonly cli: PulumiCli;
  readonly plugins: PluginKind;
  readonly program: PulumiFn;
  /** Configuration of the providers; undefined keeps that of the last update. The program gets its settings from the command. */
  readonly configuration?: Readonly<Record<string, string>>;
  /** The only folder of the host that the replacement plugins mount; undefined for none. */
  readonly hostFolder?: string | undefined;
  readonly onLine: (line: string) => void;
}

/** Generated once per stack; encrypts the secrets in its state. */
async function ensurePassphrase(file: string): Promise<void> {
  await writeFile(file, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    },
  );
}

/** Pulumi keeps a copy of the state and a record of each update for ever; their names sort by time. */
async function keepNewest(folder: string, count: number): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).toSorted((a, b) => (a < b ? -1 : 1));
  for (const name of names.slice(0, Math.max(0, names.length - count))) await rm(join(folder, name), { force: true });
}

/** Writes the configuration as the CLI reads it. The salt, which verifies the passphrase, stays. */
async function writeConfiguration(
  { workspace }: StackPaths,
  stack: string,
  configuration: Readonly<Record<string, string>>,
): Promise<void> {
  const file = join(workspace, `Pulumi.${stack}.yaml`);
  const before = (parse(await readFile(file, "utf8").catch(() => "")) ?? {}) as { encryptionsalt?: string };
  const content = {
    ...(before.encryptionsalt ? { encryptionsalt: before.encryptionsalt } : {}),
    config: configuration,
  };
  // Pulumi would read a time without quotes as another text.
  const quoted = stringify(content, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" });
  await writeFile(file, quoted, { mode: 0o600 });
}

function workspaceOptions(
  paths: StackPaths,
  cli: PulumiCli,
  { plugins, hostFolder, onLine }: Pick<WorkspaceOptions, "plugins" | "hostFolder" | "onLine">,
): LocalWorkspaceOptions {
  const pulumiCommand = inOwnProcessGroup(cli.command, plugins, onLine);
  return {
    pulumiCommand,
    workDir: paths.workspace,
    envVars: { ...cliEnvironment(paths), [hostFolderVariable]: hostFolder ?? "" },
  };
}

/** Opens or creates the stack under the real Pulumi: state in a folder of the checkout, no account, no update check. */
export async function openStack({
  stack,
  cli,
  plugins,
  program,
  configuration,
  hostFolder,
  onLine,
}: WorkspaceOptions): Promise<Stack> {
  const paths = stackPaths(stack);
  for (const folder of [paths.folder, paths.workspace, paths.state, pulumiHome()])
    await mkdir(folder, { recursive: true });
  for (const kind of ["backups", "history"])
    await keepNewest(join(paths.state, ".pulumi", kind, projectName, stack), 60);
  await chmod(paths.folder, 0o700);
  await ensurePassphrase(paths.passphrase);
  if (configuration) await writeConfiguration(paths, stack, configuration);
  const replacements = plugins === "stand-in" ? await offline() : undefined;
  const projectSettings: ProjectSettings & { plugins?: { providers: { name: string; path: string }[] } } = {
    name: projectName,
    runtime: "nodejs",
    backend: { url: backendOf(paths) },
    ...(replacements === undefined ? {} : { plugins: { providers: replacements.pluginFolders() } }),
  };
  return LocalWorkspace.createOrSelectStack(
    { stackName: stack, projectName, program },
    { ...workspaceOptions(paths, cli, { plugins, hostFolder, onLine }), projectSettings },
  );
}
