import { containerOf } from "../../e2e/support/stack/docker.ts";
import { hasFront } from "../../e2e/support/stack/engine-of-the-run.ts";
import { stack } from "../../e2e/support/stack/stack.ts";
import { mustRun, run } from "../../harness/process.ts";
import { ToxicProxy } from "../../harness/containers/toxic-proxy.ts";
import { addHostAddress } from "../../harness/docker/host-address.ts";

const everywhere = ["database", "sessions", "engine", "auth-sidecar", "gateway"] as const;
export type Part = (typeof everywhere)[number] | "front";

export const parts: readonly Part[] = hasFront ? [...everywhere, "front"] : everywhere;

const inspect = async (part: Part, format: string): Promise<string> =>
  (await mustRun("docker", ["inspect", "--format", format, containerOf(part)])).trim();

/** Kills the service's first process, as a crash would. Only its own restart policy restarts it. */
export async function crash(part: Part): Promise<void> {
  process.kill(Number(await inspect(part, "{{.State.Pid}}")), "SIGKILL");
}

/** Number of restarts of the service. */
export const restarts = async (part: Part): Promise<number> => Number(await inspect(part, "{{.RestartCount}}"));

/** Stops the service; Docker starts it again only by {@link start}. */
export const stop = (part: Part): Promise<string> => mustRun("docker", ["stop", "--time", "2", containerOf(part)]);
export const start = (part: Part): Promise<string> => mustRun("docker", ["start", containerOf(part)]);

/** Stops all processes. `docker pause` can wait without end for a health check that starts at the same moment. */
export async function pause(part: Part): Promise<void> {
  await signal(part, "SIGSTOP");
  // A process can have started another before its own stop.
  await signal(part, "SIGSTOP");
}

export const resume = (part: Part): Promise<void> => signal(part, "SIGCONT");

async function signal(part: Part, name: "SIGSTOP" | "SIGCONT"): Promise<void> {
  const [, ...processes] = (await mustRun("docker", ["top", containerOf(part), "-o", "pid"])).trim().split("\n");
  for (const id of processes) {
    try {
      process.kill(Number(id), name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

/** Runs an iptables command in the service's own network namespace, which is deleted with the container. */
async function rule(part: Part, ...words: string[]): Promise<void> {
  await mustRun("nsenter", ["--target", await inspect(part, "{{.State.Pid}}"), "--net", "iptables", ...words]);
}

/** Drops all network packets in both directions silently; the service itself continues. */
export async function cutOff(part: Part): Promise<void> {
  await rule(part, "-I", "INPUT", "!", "-i", "lo", "-j", "DROP");
  await rule(part, "-I", "OUTPUT", "!", "-o", "lo", "-j", "DROP");
}

export async function reconnect(part: Part): Promise<void> {
  for (const chain of ["INPUT", "OUTPUT"]) await rule(part, "-F", chain);
}

/** Limits the processor time of the service, in processors. */
export const throttle = (part: Part, processors: number): Promise<string> => {
  // A quota, like the containers have: Docker cannot replace it by `--cpus`.
  const period = 100_000;
  return mustRun("docker", [
    "update",
    "--cpu-period",
    String(period),
    "--cpu-quota",
    String(Math.round(processors * period)),
    containerOf(part),
  ]);
};

/**
 * Puts a misbehaving proxy between two services of the running stack. The caller's new connections go to the host's end of their common
 * network, and from there to the callee; open ones are cut. Reverted by dispose.
 */
export async function interpose(
  caller: Part,
  callee: Part,
  port: number,
): Promise<{ readonly proxy: ToxicProxy } & AsyncDisposable> {
  const network = `routeql-${stack.name}-${caller}-${callee}`;
  const address = await inspect(callee, `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`);
  const host = await addHostAddress(network);
  const proxy = await ToxicProxy.to(address, port, host.address);
  const target = [
    "-p",
    "tcp",
    "-d",
    address,
    "--dport",
    String(port),
    "-j",
    "DNAT",
    "--to-destination",
    `${host.address}:${proxy.port}`,
  ];
  await rule(caller, "-t", "nat", "-I", "OUTPUT", ...target);
  await cutConnections(caller, address, port);
  return {
    proxy,
    [Symbol.asyncDispose]: async () => {
      await rule(caller, "-t", "nat", "-D", "OUTPUT", ...target);
      await proxy[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}

/** Resets the caller's open connections; ss reports sockets that it may not close as its own failure. */
async function cutConnections(caller: Part, address: string, port: number): Promise<void> {
  await run("nsenter", [
    "--target",
    await inspect(caller, "{{.State.Pid}}"),
    "--net",
    "ss",
    "--kill",
    "dst",
    `${address}:${port}`,
  ]);
}

/** Runs SQL as the superuser, inside the database's own container. */
export async function asSuperuser(sql: string): Promise<string> {
  return mustRun("docker", [
    "exec",
    containerOf("database"),
    "psql",
    "--no-psqlrc",
    "--quiet",
    "--tuples-only",
    "--no-align",
    "--dbname=routeql",
    "--command",
    sql,
  ]);
}

/** Whether the service's own health check passes now; Docker's status may be one check interval old. */
export async function isHealthy(part: Part): Promise<boolean> {
  const [, ...check] = JSON.parse(await inspect(part, "{{json .Config.Healthcheck.Test}}")) as string[];
  const { code } = await run("docker", ["exec", containerOf(part), ...check]);
  return code === 0;
}
