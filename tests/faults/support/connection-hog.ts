import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { containerOf } from "../../e2e/support/stack/docker.ts";
import { stack } from "../../e2e/support/stack/stack.ts";
import { mustRun } from "../../harness/process.ts";
import { addHostAddress } from "../../harness/docker/host-address.ts";

const port = 6379;
const caller = `routeql-${stack.name}-auth-sidecar-sessions`;

/** Connections that the store accepts during the fault in total. */
const fewest = 16;

export interface TakenConnections extends AsyncDisposable {
  /** Number of connections that the store has rejected at its limit. */
  refused(): Promise<number>;
}

/**
 * Takes every connection of the session store: sets the limit, uses all of them, and repeatedly closes those of the sidecar, so that
 * the sidecar must reconnect and is rejected. Reverted by dispose.
 */
export async function takeSessionConnections(): Promise<TakenConnections> {
  const host = await addHostAddress(caller);
  const address = (
    await mustRun("docker", [
      "inspect",
      "--format",
      `{{(index .NetworkSettings.Networks "${caller}").IPAddress}}`,
      containerOf("sessions"),
    ])
  ).trim();
  const password = await mustRun("docker", ["exec", containerOf("sessions"), "cat", "/tmp/keeper-password"]);
  const login = { username: "keeper", password: password.trim() };
  const control = new Redis({ host: address, port, ...login, retryStrategy: null });
  const [, before] = (await control.config("GET", "maxclients")) as [string, string];
  const refusals = async (): Promise<number> =>
    Number(/rejected_connections:(\d+)/.exec(await control.info("stats"))?.[1]);
  const refusedBefore = await refusals();
  const hogs = new Set<Socket>();
  const ended = new AbortController();

  /** One more connection, kept until the store closes it, which happens immediately at its limit. */
  function takeOne(): void {
    const socket = connect(port, address);
    hogs.add(socket);
    socket
      .on("error", () => undefined)
      .on("close", () => hogs.delete(socket))
      .resume();
  }

  async function othersEnded(): Promise<void> {
    const own = control.stream.localAddress;
    const clients = ((await control.client("LIST")) as string).split("\n").filter((line) => line !== "");
    for (const line of clients) {
      const [, id, peer] = /^id=(\d+) addr=(.*):\d+ /.exec(line) ?? [];
      if (id !== undefined && peer !== own) await control.client("KILL", "ID", id);
    }
  }

  async function take(): Promise<void> {
    while (!ended.signal.aborted) {
      while (hogs.size < 2 * fewest) takeOne();
      await othersEnded();
      await sleep(20);
    }
  }

  await control.config("SET", "maxclients", String(fewest));
  const taking = take();
  return {
    refused: async () => (await refusals()) - refusedBefore,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await taking;
      for (const socket of hogs) socket.destroy();
      await control.config("SET", "maxclients", before);
      control.disconnect();
      await host[Symbol.asyncDispose]();
    },
  };
}
