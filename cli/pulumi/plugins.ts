import { createRequire } from "node:module";
import { cp, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { findProgram } from "@routeql/host/apt";
import { cacheFolder, type StackPaths } from "@routeql/host/paths";
import { Failure, messageOf } from "@routeql/host/failure";
import { runToEnd } from "@routeql/host/process";
import { answers } from "@routeql/host/reachable";
import { goPlatform } from "@routeql/host/versions";
import { offline } from "../offline.ts";

export type Target = "docker" | "kubernetes";

const providersFor = (target: Target): readonly string[] => [
  "docker",
  "random",
  "tls",
  ...(target === "kubernetes" ? ["kubernetes"] : []),
];

export type PluginKind = "official" | "stand-in";

/** Folder of the CLI's official plugins; every checkout shares it, and it is separate from the user's own Pulumi. */
export const pulumiHome = (): string => join(cacheFolder(), "pulumi", "home");

/** Required version of a plugin: the version of its npm package. */
function providerVersion(name: string): string {
  return (createRequire(import.meta.url)(`@pulumi/${name}/package.json`) as { version: string }).version;
}

const userHome = (): string => process.env["PULUMI_HOME"] ?? join(homedir(), ".pulumi");

/** Whether PATH or {@link pulumiHome} has a plugin. Copies one that the user installed. */
async function installed(name: string): Promise<boolean> {
  if ((await findProgram(`pulumi-resource-${name}`)) !== undefined) return true;
  const folderIn = (home: string): string => join(home, "plugins", `resource-${name}-v${providerVersion(name)}`);
  const isIn = (home: string): Promise<boolean> =>
    stat(join(folderIn(home), `pulumi-resource-${name}`)).then(
      (entry) => entry.size > 0,
      () => false,
    );
  if (await isIn(pulumiHome())) return true;
  if (!(await isIn(userHome()))) return false;
  await cp(folderIn(userHome()), folderIn(pulumiHome()), { recursive: true });
  return true;
}

interface ChoiceOptions {
  readonly command: PulumiCommand;
  /** Target of the stack; undefined for the target that was stored with the choice of plugins. */
  readonly target: Target | undefined;
  readonly say: (text: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Whether Pulumi's download site serves the plugins. Checked first, because an install without it retries for minutes. */
function downloadAnswers(signal: AbortSignal): Promise<boolean> {
  const file = `pulumi-resource-random-v${providerVersion("random")}-${goPlatform()}.tar.gz`;
  return answers(`https://get.pulumi.com/releases/plugins/${file}`, 5_000, signal);
}

async function installOfficial(name: string, { command, onLine, signal }: ChoiceOptions): Promise<void> {
  const version = providerVersion(name);
  const { code, stderr } = await runToEnd(
    command.command,
    ["plugin", "install", "resource", name, version, "--exact"],
    {
      environment: { ...process.env, PULUMI_HOME: pulumiHome(), PULUMI_SKIP_UPDATE_CHECK: "true" },
      onLine,
      signal,
      interruptWith: "SIGINT",
      timeoutMilliseconds: 180_000,
    },
  );
  if (code !== 0)
    throw new Failure(`pulumi plugin install ${name} ${version} ended with exit code ${code}`, {
      lastLines: stderr.trim().split("\n").slice(-5),
      remedy: "check that https://get.pulumi.com answers, then run this again.",
    });
}

/** The official plugins if this machine can have them, else those in offline/. Kubernetes' states fit only the first choice. */
export async function choosePlugins(paths: StackPaths, options: ChoiceOptions): Promise<PluginKind> {
  const before = await readFile(paths.plugins, "utf8").then(
    (text) => JSON.parse(text) as { kind: PluginKind; target?: Target },
    () => undefined,
  );
  const target = options.target ?? before?.target ?? "docker";
  const canReplace = (await offline()) !== undefined;
  const kept = target === "kubernetes" ? before?.kind : undefined;
  if (kept === "stand-in" && !canReplace)
    throw new Failure("The replacement plugins that wrote the state of this stack are missing", {
      remedy: "restore the folder offline/ of the checkout, or create a stack under another name.",
    });
  const choose = async (): Promise<PluginKind> => {
    if (kept === "stand-in") return kept;
    const missing: string[] = [];
    for (const name of providersFor(target)) if (!(await installed(name))) missing.push(name);
    if (missing.length === 0) return "official";
    const needed = kept === "official" || !canReplace;
    // A later run does not wait for a site that did not answer.
    if (!needed && (before?.kind === "stand-in" || !(await downloadAnswers(options.signal)))) return "stand-in";
    options.say(`installing the official provider plugins ${missing.join(", ")}`);
    try {
      await Promise.all(missing.map((name) => installOfficial(name, options)));
      return "official";
    } catch (error) {
      options.signal.throwIfAborted();
      if (needed) throw error;
      options.onLine(messageOf(error));
      return "stand-in";
    }
  };
  const kind = await choose();
  if (before?.kind !== kind || before.target !== target) {
    await mkdir(dirname(paths.plugins), { recursive: true });
    await writeFile(paths.plugins, `${JSON.stringify({ kind, target })}\n`, { mode: 0o600 });
  }
  return kind;
}
