import { existsSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { createServer, isIP } from "node:net";
import { dockerClient } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";
import { projectFolder, projectName } from "@routeql/host/paths";
import { listenerByLsof, processFolder } from "@routeql/host/process-facts";
import { publishedPorts } from "@routeql/infra/settings/reading/complete";
import { addressesOf } from "@routeql/infra/settings/values/checks";
import { settings } from "@routeql/infra/settings/list";
import { daemonAbilities, lowestUserPort } from "../docker/daemon/daemon-facts.ts";
import type { StackConfiguration } from "../configuration/configuration.ts";

const listening = "0A";

/** Inode numbers of the sockets that listen on a port, from the text of /proc/net/tcp or tcp6 (proc(5)). */
export function listeningInodes(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(wanted) && state === listening)
    .map((columns) => columns[9]!);
}

/** The program that listens on a port, if this user may see it: `nginx (process 123)`. */
export async function listenerOn(port: number): Promise<string | undefined> {
  if (!existsSync(processFolder)) return listenerByLsof(port);
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  const sockets = new Set(tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const files = await readdir(`/proc/${id}/fd`).catch(() => []);
    const targets = await Promise.all(files.map((file) => readlink(`/proc/${id}/fd/${file}`).catch(() => "")));
    if (targets.some((target) => sockets.has(target)))
      return `${(await readFile(`/proc/${id}/comm`, "utf8")).trim()} (process ${id})`;
  }
  return undefined;
}

const examples = {
  httpPort: 8080,
  httpsPort: 8443,
  consolePort: 32_001,
  prometheusPort: 9091,
  grafanaPort: 3001,
  hostAddress: "127.0.0.1",
} as const;

/** A value to propose for each setting; without an entry the example. */
type Proposals = Partial<Record<keyof typeof examples, number>>;

export type PortProblem = "in use" | "not allowed" | "no such address";

/** Tries to listen; undefined on success. */
export function portProblem(address: string, port: number): Promise<PortProblem | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve("in use");
      // The Docker daemon, which is root, binds low ports.
      else if (error.code === "EACCES") resolve(process.getuid?.() === 0 ? "not allowed" : undefined);
      // The second code: this machine has no IPv6.
      else if (error.code === "EADDRNOTAVAIL" || error.code === "EAFNOSUPPORT") resolve("no such address");
      else reject(error);
    });
    server.listen({ host: address, port, exclusive: true, ipv6Only: true }, () =>
      server.close(() => resolve(undefined)),
    );
  });
}

/** Ports that the stack's own containers already publish; an update expects them in use. */
async function ownPorts(stack: string): Promise<ReadonlySet<number>> {
  const containers = await dockerClient().listContainers({ filters: { label: [`com.routeql.stack=${stack}`] } });
  return new Set(containers.flatMap(({ Ports }) => Ports.map(({ PublicPort }) => PublicPort)));
}

async function userOf(port: number): Promise<string> {
  const containers = await dockerClient().listContainers({ filters: { publish: [`${port}/tcp`] } });
  const names = containers.map(({ Names }) => Names[0]?.slice(1)).filter((name) => name !== undefined);
  if (names.length > 0) return ` by the container ${names.join(", ")}`;
  const program = await listenerOn(port);
  return program ? ` by ${program}` : "";
}

interface OtherValueOptions {
  readonly hasOwnFile?: boolean;
  readonly proposals?: Proposals;
}

/** Where to set another value: the stack's environment file, unless that would affect other stacks or the stack's configuration overrides it. */
export function otherValue(
  setting: keyof typeof examples,
  stack: string,
  inFile: StackConfiguration["inFile"],
  { hasOwnFile = existsSync(join(projectFolder, `.env.${stack}`)), proposals = {} }: OtherValueOptions = {},
): string {
  const key = `${projectName}:${setting}`;
  if (inFile.includes(setting) || (stack !== "local" && !hasOwnFile)) return `${key} in Pulumi.${stack}.yaml`;
  return `echo ${settings[setting].environment}=${proposals[setting] ?? examples[setting]} >>${hasOwnFile ? `.env.${stack}` : ".env"}`;
}

const tooLow = "below the lowest port of a rootless daemon";

interface PortChoice extends Pick<StackConfiguration, "inFile"> {
  readonly stack: string;
  readonly rootless: boolean;
  readonly proposals?: Proposals;
}

/** A free port for each setting, from its example on; no two are equal. @param taken ports of other settings and of containers */
export async function freeProposals(
  wrong: readonly (keyof typeof examples)[],
  addresses: readonly string[],
  taken: Iterable<number>,
): Promise<Proposals> {
  const used = new Set(taken);
  const isTaken = async (port: number): Promise<boolean> => {
    // One after the other, because a port of all addresses conflicts with the same port of one.
    for (const address of addresses) if ((await portProblem(address, port)) !== undefined) return true;
    return false;
  };
  const proposals: Proposals = {};
  for (const setting of new Set(wrong)) {
    if (setting === "hostAddress") continue;
    let port: number = examples[setting];
    while (used.has(port) || (await isTaken(port))) port += 1;
    used.add(port);
    proposals[setting] = port;
  }
  return proposals;
}

export function remedyFor(
  wrong: readonly (keyof typeof examples)[],
  { stack, inFile, rootless, proposals = {} }: PortChoice,
): string {
  const values = [...new Set(wrong)].map((setting) => otherValue(setting, stack, inFile, { proposals })).join("; ");
  if (rootless)
    return `choose ports from 1024 on: ${values}; or allow users to bind low ports: sudo sysctl net.ipv4.ip_unprivileged_port_start=80`;
  return `${wrong[0] === "hostAddress" ? "choose an address of this machine" : "stop the program that uses it, or choose another"}: ${values}`;
}

/** @throws Failure naming every unavailable port and the setting that changes it */
export async function checkPorts(
  stack: string,
  { plain, inFile }: Pick<StackConfiguration, "plain" | "inFile">,
): Promise<void> {
  const [own, { rootless }, least] = await Promise.all([ownPorts(stack), daemonAbilities(), lowestUserPort()]);
  const problems: { readonly setting: keyof typeof examples; readonly text: string }[] = [];
  for (const name of publishedPorts(plain)) {
    const port = plain[name];
    if (own.has(port)) continue;
    // The monitoring has no login, so its ports are on the loopback address.
    const isLoopback = name === "prometheusPort" || name === "grafanaPort";
    for (const address of isLoopback ? ["127.0.0.1"] : addressesOf(plain.hostAddress)) {
      const problem = rootless && port < least ? tooLow : await portProblem(address, port);
      if (!problem) continue;
      const user = problem === "in use" ? await userOf(port) : "";
      problems.push({
        setting: problem === "no such address" ? "hostAddress" : name,
        text: `${isIP(address) === 6 ? `[${address}]` : address}:${port} (${settings[name].environment}) is ${problem}${user}`,
      });
    }
  }
  if (problems.length === 0) return;
  const wrong = problems.map(({ setting }) => setting);
  const published = (await dockerClient().listContainers()).flatMap(({ Ports }) =>
    Ports.map(({ PublicPort }) => PublicPort),
  );
  // Without the address there is nothing to try.
  const proposals = wrong.includes("hostAddress")
    ? {}
    : await freeProposals(wrong, addressesOf(plain.hostAddress), [
        ...published,
        ...publishedPorts(plain).map((name) => plain[name]),
      ]);
  throw new Failure(
    problems.length === 1
      ? "A port that the stack needs is unavailable"
      : `${problems.length} ports that the stack needs are unavailable`,
    {
      lastLines: problems.map(({ text }) => text),
      remedy: remedyFor(wrong, {
        stack,
        inFile,
        rootless: problems.some(({ text }) => text.includes(tooLow)),
        proposals,
      }),
    },
  );
}
