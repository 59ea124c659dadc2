import { setTimeout as sleep } from "node:timers/promises";
import { GenericContainer } from "testcontainers";
import { containerOf } from "../../e2e/support/stack/docker.ts";
import { stack } from "../../e2e/support/stack/stack.ts";
import { monitoringLogin } from "../../harness/stack/monitoring-login.ts";
import { mustRun, run } from "../../harness/process.ts";
import { runLabels } from "../../harness/run/run.ts";
import { asSuperuser } from "./parts.ts";

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
  private readonly login: { readonly authorization: string };

  private constructor(address: string, login: { readonly authorization: string }) {
    this.address = address;
    this.login = login;
  }

  static async open(): Promise<Alerts | undefined> {
    const address = await prometheus();
    return address === undefined ? undefined : new Alerts(address, await monitoringLogin(containerOf("prometheus")));
  }

  /** Names of the alerts in one of these states. */
  async names(...states: readonly Alert["state"][]): Promise<readonly string[]> {
    const response = await fetch(`${this.address}/api/v1/alerts`, { headers: this.login });
    const { data } = (await response.json()) as { data: { alerts: readonly Alert[] } };
    return data.alerts.filter(({ state }) => states.includes(state)).map(nameOf);
  }

  /**
   * Waits until an alert whose name starts with this fires, or until none does.
   * @returns seconds from the call
   * @throws {Error} after `bound` milliseconds
   */
  until(name: string, fires: boolean, bound: number): Promise<number> {
    return this.wait(name, fires, bound, ["firing"]);
  }

  /** Like {@link until}, for an alert whose condition holds, also if it has not lasted long enough to fire. */
  untilPending(name: string, pends: boolean, bound: number): Promise<number> {
    return this.wait(name, pends, bound, ["pending", "firing"]);
  }

  private async wait(
    name: string,
    isRaised: boolean,
    bound: number,
    states: readonly Alert["state"][],
  ): Promise<number> {
    const from = performance.now();
    for (;;) {
      const seconds = (performance.now() - from) / 1000;
      const raised = await this.names(...states);
      if (raised.some((each) => each.startsWith(name)) === isRaised) return seconds;
      if (seconds * 1000 > bound)
        throw new Error(
          `${name} is ${isRaised ? "not" : "still"} ${states.join(" or ")} after ${seconds.toFixed(0)} s; these are: ${raised.join(", ") || "none"}`,
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

/** Dates the last backup back, and a dispose dates it to now. */
export async function oldBackup(): Promise<AsyncDisposable> {
  const finished = (hoursAgo: number): Promise<string> =>
    asSuperuser(`insert into migrations.finished_runs (run, finished_at, seconds)
      values ('backup', now() - interval '${hoursAgo} hours', 1)
      on conflict (run) do update set finished_at = excluded.finished_at`);
  await finished(37);
  return { [Symbol.asyncDispose]: async () => void (await finished(0)) };
}

/** Makes the archive read-only, and lets Postgres archive. A dispose reverts it and lets Postgres archive again. */
export async function brokenArchive(): Promise<AsyncDisposable> {
  const archive = async (mode: string): Promise<void> => {
    await mustRun("docker", ["exec", containerOf("database"), "chmod", "-R", mode, "/var/lib/pgbackrest/archive"]);
    await asSuperuser("select pg_logical_emit_message(true, 'test', 'archived'); select pg_switch_wal()");
  };
  await archive("u-w");
  return { [Symbol.asyncDispose]: () => archive("u+w") };
}

/** Replaces the exporter of the disk by one that also reports a small disk, of which 97 % are full. Reverted by dispose. */
export async function fullDisk(): Promise<AsyncDisposable> {
  const exporter = containerOf("disk-exporter");
  const {
    Config: { Image: image, Cmd: command },
  } = JSON.parse(await mustRun("docker", ["inspect", "--format", "{{json .}}", exporter])) as {
    Config: { Image: string; Cmd: readonly string[] };
  };
  // The real exporter excludes every disk but the root.
  const reporting = command.map((word) => word.replace(/(mount-points-exclude=).+/, "$1^/(dev|etc|proc|run|sys)"));
  await mustRun("docker", ["stop", "--time", "2", exporter]);
  const replacement = await new GenericContainer(image)
    .withLabels(runLabels)
    .withNetworkMode(`routeql-${stack.name}-metrics`)
    .withNetworkAliases("disk-exporter")
    .withTmpFs({ "/full": "size=16m,mode=1777" })
    .withEntrypoint(["sh", "-c", 'head -c 16270000 /dev/zero >/full/filler; exec "$@"', "sh"])
    .withCommand([...reporting])
    .start();
  return {
    [Symbol.asyncDispose]: async () => {
      await replacement.stop();
      await mustRun("docker", ["start", exporter]);
    },
  };
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
