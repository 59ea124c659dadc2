import { createServer } from "node:net";
import { settings } from "@routeql/infra/settings/list";
import { dockerClient } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";
import { projectName, type StackConfiguration } from "./configuration.ts";
import { engineAbilities, lowestUserPort } from "../docker/engine-abilities.ts";
import { listenerOn } from "./listener.ts";

const portSettings = ["httpPort", "httpsPort", "consolePort"] as const;
const examples = { httpPort: 8080, httpsPort: 8443, consolePort: 32_001, hostAddress: "127.0.0.1" } as const;

export type PortProblem = "in use" | "not allowed" | "no such address";

/** Tries to listen; undefined on success. */
export function portProblem(address: string, port: number): Promise<PortProblem | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve("in use");
      // The Docker engine, which is root, binds low ports.
      else if (error.code === "EACCES") resolve(process.getuid?.() === 0 ? "not allowed" : undefined);
      else if (error.code === "EADDRNOTAVAIL") resolve("no such address");
      else reject(error);
    });
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve(undefined)));
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

/** Where to set another value: the environment file, unless that would affect other stacks or the stack's configuration overrides it. */
export function otherValue(setting: keyof typeof examples, stack: string, entries: StackConfiguration["entries"]): string {
  const key = `${projectName}:${setting}`;
  return stack !== "local" || Object.hasOwn(entries, key) ? `${key} in Pulumi.${stack}.yaml` : `echo ${settings[setting].environment}=${examples[setting]} >>.env`;
}

const tooLow = "below the lowest port of a rootless engine";

interface PortChoice extends Pick<StackConfiguration, "entries"> {
  readonly stack: string;
  readonly rootless: boolean;
}

/** The settings that help. */
export function remedyFor(wrong: readonly (keyof typeof examples)[], { stack, entries, rootless }: PortChoice): string {
  const values = [...new Set(wrong)].map((setting) => otherValue(setting, stack, entries)).join("; ");
  if (rootless) return `choose ports from 1024 on: ${values}; or allow users to bind low ports: sudo sysctl net.ipv4.ip_unprivileged_port_start=80`;
  return `${wrong[0] === "hostAddress" ? "choose an address of this machine" : "stop the program that uses it, or choose another"}: ${values}`;
}

/** @throws Failure naming every unavailable port and the setting that changes it */
export async function checkPorts(stack: string, { plain, entries }: Pick<StackConfiguration, "plain" | "entries">): Promise<void> {
  const [own, { rootless }, least] = await Promise.all([ownPorts(stack), engineAbilities(), lowestUserPort()]);
  const problems: { readonly setting: keyof typeof examples; readonly text: string }[] = [];
  for (const name of portSettings) {
    const port = plain[name];
    if (own.has(port)) continue;
    const problem = rootless && port < least ? tooLow : await portProblem(plain.hostAddress, port);
    if (!problem) continue;
    const user = problem === "in use" ? await userOf(port) : "";
    problems.push({ setting: problem === "no such address" ? "hostAddress" : name, text: `${plain.hostAddress}:${port} (${settings[name].environment}) is ${problem}${user}` });
  }
  if (problems.length === 0) return;
  throw new Failure(
    problems.length === 1
      ? "A port that the stack needs is unavailable"
      : `${problems.length} ports that the stack needs are unavailable`,
    {
      lastLines: problems.map(({ text }) => text),
      remedy: remedyFor(problems.map(({ setting }) => setting), { stack, entries, rootless: problems.some(({ text }) => text.includes(tooLow)) }),
    },
  );
}
