import { setTimeout as sleep } from "node:timers/promises";
import { containerOf } from "../../e2e/support/docker.ts";
import { mustRun, run } from "../../harness/process.ts";

/** Milliseconds. */
const pollInterval = 500;

/** Address of the stack's own Prometheus; undefined for a stack without one. */
async function prometheus(): Promise<string | undefined> {
  const { code, stdout } = await run("docker", ["port", containerOf("prometheus"), "9090/tcp"]);
  return code === 0 ? `http://${stdout.split("\n")[0]!.trim()}` : undefined;
}

interface Alert {
  readonly state: "pending" | "firing";
  readonly labels: Readonly<Record<string, string>>;
}

/** An alert with the label that distinguishes it: `ServiceDown engine`, `RequestsFail /api/graphql`. */
const nameOf = ({ labels }: Alert): string => `${labels["alertname"]} ${labels["route"] ?? labels["service"] ?? ""}`;

/** The alerts of the stack's own Prometheus. */
export class Alerts {
  private readonly address: string;

  private constructor(address: string) {
    this.address = address;
  }

  static async open(): Promise<Alerts | undefined> {
    const address = await prometheus();
    return address === undefined ? undefined : new Alerts(address);
  }

  /** Names of the alerts in one of these states. */
  async names(...states: readonly Alert["state"][]): Promise<readonly string[]> {
    const response = await fetch(`${this.address}/api/v1/alerts`);
    const { data } = (await response.json()) as { data: { alerts: readonly Alert[] } };
    return data.alerts.filter(({ state }) => states.includes(state)).map(nameOf);
  }

  /**
   * Waits until an alert whose name starts with this fires, or until none does.
   * @returns seconds from the call
   * @throws {Error} after `bound` milliseconds
   */
  async until(name: string, fires: boolean, bound: number): Promise<number> {
    const from = performance.now();
    for (;;) {
      const seconds = (performance.now() - from) / 1000;
      const firing = await this.names("firing");
      if (firing.some((each) => each.startsWith(name)) === fires) return seconds;
      if (seconds * 1000 > bound)
        throw new Error(
          `${name} ${fires ? "did not fire" : "still fires"} after ${seconds.toFixed(0)} s; these fire: ${firing.join(", ") || "none"}`,
        );
      await sleep(pollInterval);
    }
  }
}

/** Subjects of the problems in the report of `npm run status`. */
export async function subjectsOfStatus(stack: string): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, ["cli/main.ts", "status", "--stack", stack, "--json"], {
    timeout: 90_000,
  });
  return (JSON.parse(stdout) as { problems: readonly { subject: string }[] }).problems.map(({ subject }) => subject);
}

/** Takes every connection of the database for a while; existing ones stay open. Reverted by dispose. */
export async function takeDatabaseConnections(): Promise<AsyncDisposable> {
  const inDatabase = (script: string): Promise<string> =>
    mustRun("docker", ["exec", containerOf("database"), "bash", "-c", script]);
  // All read from one pipe without an end, so they stay connected until they are killed.
  const hogs = `rm -f /tmp/hold /tmp/enough; mkfifo /tmp/hold; exec 3<>/tmp/hold
    for i in $(seq 120); do PGAPPNAME=hog psql --no-psqlrc --quiet --dbname=routeql <&3 >/dev/null 2>&1 & done
    until [ -e /tmp/enough ]; do sleep 0.2; done; kill $(jobs -p); wait`;
  const held = inDatabase(hogs);
  held.catch(() => undefined);
  return {
    [Symbol.asyncDispose]: async () => {
      await inDatabase("touch /tmp/enough");
      await held;
    },
  };
}
