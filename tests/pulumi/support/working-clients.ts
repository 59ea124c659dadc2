import { setTimeout as delay } from "node:timers/promises";
import type { DeployedStack } from "./deployed-stack.ts";

interface Pace {
  /** Milliseconds between two rounds of a client. */
  readonly interval?: number;
  readonly logins?: boolean;
}

export interface WorkingClients {
  /** Waits for so many more requests. */
  more(count: number): Promise<void>;
  /** Stops the clients. Returns the number of requests and the failed ones, the first ones with their lines in the logs. */
  end(): Promise<{ readonly requests: number; readonly failures: readonly string[] }>;
}

/** Failures whose lines are read. */
const mostExplained = 3;

/** Queries and logs in continuously with the keys of the start. */
export function keepWorking(stack: DeployedStack, { interval = 200, logins = true }: Pace = {}): WorkingClients {
  const until = new AbortController();
  const keys = Promise.all([stack.access("SERVICE_API_KEY"), stack.access("ENGINE_ACCESS_KEY")]);
  let requests = 0;
  const failures: string[] = [];
  const loop = async (work: () => Promise<unknown>): Promise<void> => {
    while (!until.signal.aborted) {
      requests += 1;
      await work().catch((error: Error & { code?: string }) => {
        failures.push(`${new Date().toISOString()} ${error.code ?? String(error)}`);
      });
      await delay(interval);
    }
  };
  const ended = Promise.all([
    loop(async () => {
      const { data, errors } = await stack.query("{ view_hijacks(limit: 1) { key } }", (await keys)[1]);
      if (data === undefined || errors !== undefined) throw new Error(JSON.stringify(errors));
    }),
    ...(logins ? [loop(async () => stack.logIn((await keys)[0]))] : []),
  ]);
  return {
    async more(count) {
      const goal = requests + count;
      const isReached = (): boolean => requests >= goal;
      while (!isReached()) await delay(50);
    },
    async end() {
      until.abort();
      await ended;
      const explained = failures.map(async (failure, index) => {
        const [, id] = /request (\w+)/.exec(failure) ?? [];
        if (id === undefined || index >= mostExplained) return failure;
        return `${failure}\n${(await stack.checkout.command("logs", stack.name, ["--request-id", id])).output}`;
      });
      return { requests, failures: await Promise.all(explained) };
    },
  };
}
