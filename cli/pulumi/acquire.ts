import { createRequire } from "node:module";
import { join } from "node:path";
import type { Work } from "@routeql/host/work";
// Not the main entry of the Automation API, which takes a third of a second to load, even for a command that only reads outputs.
import { PulumiCommand } from "@pulumi/pulumi/automation/cmd.js";
import { findProgram } from "@routeql/host/apt";
import { Failure, messageOf } from "@routeql/host/failure";
import { cacheFolder } from "@routeql/host/paths";
import { runToEnd } from "@routeql/host/process";
import { withLock } from "@routeql/host/process-lock";
import { isUsable } from "@routeql/host/versions";
import { offline } from "../offline.ts";
import { installRelease, pinnedRelease, type Release } from "./release-archive.ts";

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

async function inCache(version: string): Promise<PulumiCommand | undefined> {
  const command = await PulumiCommand.get({ root: rootOf(version) }).catch(() => undefined);
  return command?.version?.version === version ? command : undefined;
}

/** The CLI on PATH, else the first one in the cache that is usable. @param versions those that this checkout can install */
export async function findCli(versions: readonly (string | undefined)[]): Promise<PulumiCli | undefined> {
  const onPath = (await findProgram("pulumi")) ? await versionOf("pulumi") : undefined;
  if (onPath !== undefined && isUsable(onPath, minimumVersion))
    return { command: await PulumiCommand.get(), origin: `${onPath} from PATH` };
  for (const version of new Set([sdkVersion, ...versions])) {
    const command = version === undefined ? undefined : await inCache(version);
    if (command !== undefined) return { command, origin: `${version} from the cache` };
  }
  return undefined;
}

/** Where a missing CLI comes from. */
export interface CliSources {
  /** Pulumi's archive; undefined on a platform without a pinned hash. */
  readonly release: Release | undefined;
  /** The build from Go modules; undefined without offline/. */
  readonly builder:
    | { readonly cliVersion: string; readonly buildCli: (root: string, work: Work) => Promise<void> }
    | undefined;
}

const sourcesHere = async (): Promise<CliSources> => ({ release: pinnedRelease(), builder: await offline() });

/** Finds the Pulumi CLI, or installs Pulumi's release archive, or builds the CLI from Go modules where the archive cannot be used. */
export async function acquireCli(options: Work, sources?: CliSources): Promise<PulumiCli> {
  const { release, builder } = sources ?? (await sourcesHere());
  const versions = [release?.version, builder?.cliVersion];
  const found = await findCli(versions);
  if (found !== undefined) return found;
  const lock = join(cacheFolder(), "pulumi", "build.lock");
  return withLock(lock, "a run that installs the Pulumi CLI", options.say, async () => {
    const installedByAnother = await findCli(versions);
    if (installedByAnother !== undefined) return installedByAnother;
    const released = await fromRelease(release, options);
    if ("command" in released) return released;
    if (builder === undefined) throw noCli(released.problem);
    options.say(`${released.problem}; building the CLI from Go modules`);
    const root = rootOf(builder.cliVersion);
    await builder.buildCli(root, options);
    return { command: await PulumiCommand.get({ root }), origin: `${builder.cliVersion}, built from Go modules` };
  });
}

async function fromRelease(
  release: Release | undefined,
  options: Work,
): Promise<PulumiCli | { readonly problem: string }> {
  if (release === undefined)
    return { problem: `There is no pinned release of the Pulumi CLI for ${process.platform} on ${process.arch}` };
  options.say(`downloading the Pulumi CLI ${release.version}`);
  try {
    await installRelease(release, rootOf(release.version), options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { problem: messageOf(error) };
  }
  const command = await inCache(release.version);
  if (command === undefined)
    return { problem: `The Pulumi CLI of ${release.url} does not answer with its version ${release.version}` };
  return { command, origin: `${release.version} from Pulumi's site` };
}

const noCli = (problem: string): Failure =>
  new Failure("There is no Pulumi CLI: PATH has none, and this checkout has no offline/, which builds it", {
    lastLines: [problem],
    remedy: `make https://get.pulumi.com reachable and run this again; or install version ${minimumVersion} or later: download pulumi-v<version>-<platform>.tar.gz and its checksums from https://github.com/pulumi/pulumi/releases, check it with sha256sum, and put its folder on PATH.`,
  });
