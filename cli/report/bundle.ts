import { open, readdir, readFile, rm, statfs } from "node:fs/promises";
import { availableParallelism, freemem, loadavg, release, version as systemVersion, totalmem } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Failure, messageOf } from "@routeql/host/failure";
import { projectFolder, stackPaths } from "@routeql/host/paths";
import { runToEnd } from "@routeql/host/process";
import { pack } from "tar-stream";
import type { CheckedSettings } from "@routeql/infra/settings/reading/problems";
import { openPlace } from "../open-place.ts";
import type { StackPlace } from "../place/stack-place.ts";
import { isSecretSetting, readConfiguration } from "../configuration/configuration.ts";
import { valuesOf } from "../pulumi/outputs.ts";
import { collectStatus } from "./collect.ts";
import { statusText } from "../status/text.ts";

/** A secret shorter than this also occurs in other text by chance. */
const shortest = 8;

/** Removes known secrets from a text: as they are, in JSON and in URLs. The texts should hold none; this is the second line of defence. */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets.flatMap((secret) =>
    secret.length < shortest
      ? []
      : [
          secret,
          JSON.stringify(secret).slice(1, -1),
          encodeURIComponent(secret),
          Buffer.from(secret).toString("base64"),
          Buffer.from(secret).toString("hex"),
        ],
  );
  const longestFirst = [...new Set(spellings)].toSorted((left, right) => right.length - left.length);
  return (text) => longestFirst.reduce((rest, spelling) => rest.replaceAll(spelling, "[redacted]"), text);
}

/** Numbers the e-mail addresses of a bundle, so that two accounts stay two. */
export function withoutAddresses(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) =>
    text.replaceAll(/[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi, (address) => {
      const key = address.toLowerCase();
      if (!known.has(key)) known.set(key, `[address ${known.size + 1}]`);
      return known.get(key)!;
    });
}

export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export interface SupportOptions {
  /** Last lines of each container. */
  readonly lines: number;
  readonly signal: AbortSignal;
}

/** Logs of the last runs of `up` and other commands. */
const runLogs = 3;

const isSecret = (name: string): boolean => isSecretSetting(name);
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** All entries of a bundle. An entry that cannot be collected contains the reason. */
export async function supportEntries(stack: string, { lines, signal }: SupportOptions): Promise<readonly Entry[]> {
  const place = await openPlace(stack);
  const collect = async (name: string, work: () => Promise<readonly Entry[]>): Promise<readonly Entry[]> =>
    work().catch((error: unknown) => {
      signal.throwIfAborted();
      return [{ name: `${name}.error.txt`, text: `${messageOf(error)}\n` }];
    });
  const entries = [
    await collect("status", async () => {
      const report = await collectStatus(stack, { limits: {}, drift: false, signal });
      return [
        { name: "status.txt", text: `${statusText(report)}\n` },
        { name: "status.json", text: json(report) },
      ];
    }),
    await collect("versions", async () => [{ name: "versions.json", text: json(await versions(place, signal)) }]),
    await collect("settings", async () => [
      { name: "settings.json", text: json(settingsWithoutSecrets(await readConfiguration(stack))) },
    ]),
    await collect("resources", async () => [{ name: "resources.json", text: json(await resources(place, signal)) }]),
    await collect("evidence", () => place.evidence(signal)),
    await collect("logs", () => serviceLogs(place, lines, signal)),
    await collect("runs", () => lastRunLogs(stack)),
  ].flat();
  const scrub = scrubber(await knownSecrets(stack));
  const number = withoutAddresses();
  return entries.map(({ name, text }) => ({ name, text: number(scrub(text)) }));
}

async function knownSecrets(stack: string): Promise<string[]> {
  const outputs = await valuesOf(stack).then(
    ({ serviceApiKey, engineAccessKey, adminPassword, databasePasswords }) =>
      textsIn([serviceApiKey, engineAccessKey, adminPassword, databasePasswords]),
    () => [],
  );
  const given = await readConfiguration(stack).then(
    (configuration) =>
      Object.entries(configuration.given).flatMap(([name, value]) =>
        isSecret(name) || isPem(value) ? textsIn(value) : [],
      ),
    () => [],
  );
  const passphrase = await readFile(stackPaths(stack).passphrase, "utf8").catch(() => "");
  return [...outputs, ...given, passphrase];
}

/** In place of a file's path: the text of a private key is possible. */
const isPem = (value: unknown): boolean => typeof value === "string" && value.includes("-----BEGIN ");

/** Settings with their values; of secret settings only whether they are given. Passwords inside of addresses are removed. */
export function settingsWithoutSecrets({
  plain,
  given,
}: Pick<CheckedSettings, "plain" | "given">): Readonly<Record<string, unknown>> {
  const withoutPassword = (value: unknown): unknown =>
    isPem(value)
      ? "[given, text in PEM form]"
      : typeof value === "string"
        ? value.replace(/(\/\/[^:@/\s]*:)[^@/\s]+@/g, "$1[redacted]@")
        : value;
  const shown = Object.entries(plain).map(([name, value]) => [
    name,
    name === "adminEmail" ? "[redacted]" : withoutPassword(value),
  ]);
  const secrets = Object.keys(given).filter(isSecret);
  return { ...Object.fromEntries(shown), ...Object.fromEntries(secrets.map((name) => [name, "[given, secret]"])) };
}

async function versions(place: StackPlace, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  const git = await runToEnd("git", ["-C", projectFolder, "log", "-1", "--format=%H %cI"], { signal }).catch(
    () => undefined,
  );
  const { version } = JSON.parse(await readFile(join(projectFolder, "package.json"), "utf8")) as { version: string };
  const target = await place.version(signal);
  const commit = git?.code === 0 ? git.stdout.trim() : undefined;
  return { routeql: version, commit, node: process.version, system: `${systemVersion()} ${release()}`, ...target };
}

async function resources(place: StackPlace, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  const { bavail, bsize, blocks } = await statfs(projectFolder);
  const machine = {
    processors: availableParallelism(),
    load: loadavg(),
    memoryBytes: totalmem(),
    freeMemoryBytes: freemem(),
    diskBytes: blocks * bsize,
    freeDiskBytes: bavail * bsize,
  };
  return { machine, ...(await place.resources(signal)) };
}

/** The last lines of each container. A log that cannot be read ends with the reason. */
export async function serviceLogs(
  place: Pick<StackPlace, "logs">,
  tail: number,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const options = { services: [], follow: false, tail, since: undefined, requestId: undefined, json: false };
  const readers = await place.logs(options, signal);
  const entries: Entry[] = [];
  for (const { container, read } of readers) {
    const lines: string[] = [];
    await read((line) => lines.push(line)).catch((error: unknown) => {
      signal.throwIfAborted();
      lines.push(messageOf(error));
    });
    entries.push({ name: `logs/${container}.log`, text: lines.map((line) => `${line}\n`).join("") });
  }
  return entries;
}

async function lastRunLogs(stack: string): Promise<readonly Entry[]> {
  const { logs } = stackPaths(stack);
  const names = (await readdir(logs).catch(() => [])).filter((name) => name.endsWith(".log")).toSorted();
  return Promise.all(
    names
      .slice(-runLogs)
      .map(async (name) => ({ name: `runs/${name}`, text: await readFile(join(logs, name), "utf8") })),
  );
}

export interface Entry {
  readonly name: string;
  readonly text: string;
}

/** Writes the entries into `file` (tar.gz), which only its owner can read. @throws Failure when the file exists or cannot be written */
export async function writeBundle(file: string, folder: string, entries: readonly Entry[]): Promise<void> {
  const handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "EEXIST" ? "exists already" : `cannot be written (${error.code ?? error.message})`;
    throw new Failure(`${file} ${reason}`, { remedy: "name another file with --to.", cause: error });
  });
  try {
    const archive = pack();
    for (const { name, text } of entries) archive.entry({ name: `${folder}/${name}`, mode: 0o600 }, text);
    archive.finalize();
    await pipeline(archive, createGzip(), handle.createWriteStream());
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close().catch(() => undefined);
  }
}
