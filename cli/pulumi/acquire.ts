import { createRequire } from "node:module";
import { join } from "node:path";
import type { Work } from "@routeql/host/work";
// Not the main entry of the Automation API, which takes a third of a second to load, even for a command that only reads outputs.
import { PulumiCommand } from "@pulumi/pulumi/automation/cmd.js";
import { findProgram } from "@routeql/host/apt";
import { Failure } from "@routeql/host/failure";
import { cacheFolder } from "@routeql/host/paths";
import { runToEnd } from "@routeql/host/process";
import { withLock } from "@routeql/host/process-lock";
import { isUsable } from "@routeql/host/versions";
import { offline } from "../offline.ts";

/** The oldest CLI that is known to work with this project. */
const minimumVersion = "3.256.0";

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

export interface PulumiCli {
  readonly command: PulumiCommand;
  readonly origin: string;
}

/** The CLI on PATH, else one in the cache that is usable; `builtVersion` is the version that this checkout can build. */
export async function findCli(builtVersion: string | undefined): Promise<PulumiCli | undefined> {
  const onPath = (await findProgram("pulumi")) ? await versionOf("pulumi") : undefined;
  if (onPath !== undefined && isUsable(onPath, minimumVersion))
    return { command: await PulumiCommand.get(), origin: `${onPath} from PATH` };
  for (const version of new Set([sdkVersion, builtVersion])) {
    if (version === undefined) continue;
    const command = await PulumiCommand.get({ root: rootOf(version) }).catch(() => undefined);
    if (command?.version?.version === version) return { command, origin: `${version} from the cache` };
  }
  return undefined;
}

/** Finds the Pulumi CLI, or builds it from Go modules. Pulumi's installer has no published checksum, so it is never run. */
export async function acquireCli(options: Work): Promise<PulumiCli> {
  const replacements = await offline();
  const found = await findCli(replacements?.cliVersion);
  if (found !== undefined) return found;
  if (!replacements) throw noCli();
  const { buildCli, cliVersion } = replacements;
  const lock = join(cacheFolder(), "pulumi", "build.lock");
  return withLock(lock, "a run that builds the Pulumi CLI", options.say, async () => {
    const builtByAnother = await findCli(cliVersion);
    if (builtByAnother !== undefined) return builtByAnother;
    const root = rootOf(cliVersion);
    await buildCli(root, options);
    return { command: await PulumiCommand.get({ root }), origin: `${cliVersion}, built from Go modules` };
  });
}

const noCli = (): Failure =>
  new Failure("There is no Pulumi CLI: PATH has none, and this checkout has no offline/, which builds it", {
    remedy: `install version ${minimumVersion} or later: download pulumi-v<version>-<platform>.tar.gz and its checksums from https://github.com/pulumi/pulumi/releases, check it with sha256sum, and put its folder on PATH.`,
  });
