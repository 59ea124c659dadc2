import { createRequire } from "node:module";
import { join } from "node:path";
// Not the main entry of the Automation API, which takes a third of a second to load, even for a command that only reads outputs.
import { PulumiCommand } from "@pulumi/pulumi/automation/cmd.js";
import { findProgram } from "@routeql/host/apt";
import { Failure } from "@routeql/host/failure";
import { cacheFolder } from "@routeql/host/paths";
import { runToEnd } from "@routeql/host/process";
import { withLock } from "@routeql/host/process-lock";
import type * as Offline from "@routeql/offline";
import { offline } from "../offline.ts";
import { type CliProbes, minimumVersion, planCli } from "./plan.ts";

/** The version of the SDK in use; the cache may have the CLI of this version. */
const sdkVersion = (createRequire(import.meta.url)("@pulumi/pulumi/package.json") as { version: string }).version;

const rootOf = (version: string): string => join(cacheFolder(), "pulumi", version);

async function versionOf(program: string): Promise<string | undefined> {
  const { code, stdout } = await runToEnd(program, ["version"], {
    environment: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    timeoutMilliseconds: 20_000,
  }).catch(() => ({ code: 1, stdout: "" }));
  return code === 0 ? stdout.trim() : undefined;
}

/** @param found commands of the roots that `cached` has returned, because asking the CLI for its version again takes a quarter of a second */
const machineProbes = (found: Map<string, PulumiCommand>): CliProbes => ({
  onPath: async () => ((await findProgram("pulumi")) ? versionOf("pulumi") : undefined),
  cached: async (version) => {
    const root = rootOf(version);
    const command = await PulumiCommand.get({ root }).catch(() => undefined);
    if (command?.version?.version !== version) return undefined;
    found.set(root, command);
    return root;
  },
});

export interface AcquireOptions {
  readonly say: (text: string) => void;
  readonly show: (text: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A Pulumi CLI and a description of its source. */
export interface PulumiCli {
  readonly command: PulumiCommand;
  readonly origin: string;
}

/** Finds or builds the Pulumi CLI. A built CLI is kept for every checkout of this user. */
export async function acquireCli(options: AcquireOptions): Promise<PulumiCli> {
  const found = new Map<string, PulumiCommand>();
  const machine = machineProbes(found);
  const replacements = await offline();
  const source = await planCli(machine, sdkVersion, replacements?.cliVersion);
  if (source.kind === "path") return { command: await PulumiCommand.get(), origin: `${source.version} from PATH` };
  if (source.kind === "cache") return { command: found.get(source.root)!, origin: `${source.version} from the cache` };
  if (source.kind === "none") throw noCli();
  const lock = join(cacheFolder(), "pulumi", "build.lock");
  return withLock(lock, "a run that builds the Pulumi CLI", options.say, async () => {
    const now = await planCli(machine, sdkVersion, replacements?.cliVersion);
    if (now.kind === "cache")
      return { command: found.get(now.root)!, origin: `${now.version}, installed by another run` };
    if (!replacements) throw noCli();
    return build(replacements, options);
  });
}

const noCli = (): Failure =>
  new Failure("There is no Pulumi CLI: PATH has none, and this checkout has no offline/, which builds it", {
    remedy: `install version ${minimumVersion} or later: download pulumi-v<version>-<platform>.tar.gz and its checksums from https://github.com/pulumi/pulumi/releases, check it with sha256sum, and put its folder on PATH.`,
  });

async function build({ buildCli, cliVersion }: typeof Offline, options: AcquireOptions): Promise<PulumiCli> {
  const root = rootOf(cliVersion);
  await buildCli(root, options);
  return { command: await PulumiCommand.get({ root }), origin: `${cliVersion}, built from Go modules` };
}
