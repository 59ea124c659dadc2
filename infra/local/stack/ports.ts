import { createServer } from "node:net";
import { settings } from "../../settings/list.ts";
import type { PlainSettings } from "../../settings/list.ts";
import { dockerClient } from "../docker/client.ts";
import { Failure } from "../foundation/failure.ts";

const portSettings = ["httpPort", "httpsPort", "consolePort"] as const;

export type PortProblem = "in use" | "not allowed" | "no such address";

/** Tries to listen; undefined when that works. */
export function portProblem(address: string, port: number): Promise<PortProblem | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve("in use");
      // Binding a low port is the engine's business, which is root.
      else if (error.code === "EACCES") resolve(process.getuid?.() === 0 ? "not allowed" : undefined);
      else if (error.code === "EADDRNOTAVAIL") resolve("no such address");
      else reject(error);
    });
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Ports that the stack's own containers publish already: an update finds them in use, by itself. */
async function ownPorts(stack: string): Promise<ReadonlySet<number>> {
  const containers = await dockerClient().listContainers({ filters: { label: [`com.routeql.stack=${stack}`] } });
  return new Set(containers.flatMap(({ Ports }) => Ports.map(({ PublicPort }) => PublicPort)));
}

async function userOf(port: number): Promise<string> {
  const containers = await dockerClient().listContainers({ filters: { publish: [`${port}/tcp`] } });
  const names = containers.map(({ Names }) => Names[0]?.slice(1)).filter((name) => name !== undefined);
  return names.length > 0 ? ` by the container ${names.join(", ")}` : "";
}

/** @throws Failure naming every port that cannot be had, and the setting that changes it */
export async function checkPorts(stack: string, plain: PlainSettings): Promise<void> {
  const own = await ownPorts(stack);
  const problems: string[] = [];
  for (const name of portSettings) {
    const port = plain[name];
    if (own.has(port)) continue;
    const problem = await portProblem(plain.hostAddress, port);
    if (!problem) continue;
    const user = problem === "in use" ? await userOf(port) : "";
    problems.push(`${plain.hostAddress}:${port} (${settings[name].environment}) is ${problem}${user}`);
  }
  if (problems.length === 0) return;
  const names = portSettings.map((name) => settings[name].environment).join(", ");
  throw new Failure(`The stack cannot have ${problems.length === 1 ? "a port" : "its ports"}:\n${problems.map((line) => `  ${line}`).join("\n")}`, {
    remedy: `stop what uses them, or choose others in the file .env (${names}; the address is HOST_ADDRESS), for example: echo ${settings[firstFree(problems)].environment}=8443 >> .env`,
  });
}

function firstFree(problems: readonly string[]): (typeof portSettings)[number] {
  return portSettings.find((name) => problems.some((problem) => problem.includes(`(${settings[name].environment})`))) ?? "httpsPort";
}
