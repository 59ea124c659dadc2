import { Container, Network, Volume } from "@pulumi/docker";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { RandomPassword } from "@pulumi/random";

/** An image that exists on every machine that builds images. */
const image = "debian:trixie-slim";

export interface SmallSettings {
  readonly greeting?: string;
  /** A changed word replaces the volume of the files. */
  readonly fileNames?: string;
  readonly memory?: number;
  /** Whether the service has data; one without data may have two containers for a moment. */
  readonly hasData?: boolean;
  /** Shell text of the long-running container. */
  readonly script?: string;
  /** Shell text of its health check. */
  readonly check?: string;
  readonly job?: string;
  /** Whether the service is on a second network, which has external access. */
  readonly joins?: boolean;
  /** Published port of the service. */
  readonly port?: number | undefined;
}

/** A small version of the real program: a network, files delivered through a container that never runs, a service with a health check, a job. */
export function smallProgram(stack: string, settings: SmallSettings = {}): PulumiFn {
  const {
    greeting = "hello",
    fileNames = "two",
    memory = 64,
    hasData = true,
    script = "exec sleep infinity",
    check = "test -r /run/routeql/secrets/word",
    job = "echo done",
    joins = false,
    port,
  } = settings;
  const labels = [{ label: "com.routeql.stack", value: stack }];
  const here = { deleteBeforeReplace: true };
  return async () => {
    const word = new RandomPassword("word", { length: 32, special: false });
    const network = new Network("network", { name: `routeql-${stack}-network`, internal: true, labels }, here);
    const second = joins ? [new Network("second", { name: `routeql-${stack}-second`, labels }, here)] : [];
    const data = new Volume("data", { name: `routeql-${stack}-data`, labels }, { ...here, retainOnDelete: true });
    const files = new Volume("files", { name: `routeql-${stack}-files-${fileNames}`, labels });
    const carrier = new Container(
      "carrier",
      {
        name: `routeql-${stack}-files`,
        image,
        command: ["true"],
        networkMode: "none",
        labels,
        volumes: [{ volumeName: files.name, containerPath: "/run/routeql" }],
        uploads: [
          { file: "/run/routeql/secrets/word", content: word.result, permissions: "0444" },
          { file: "/run/routeql/greeting", content: greeting, permissions: "0444" },
        ],
        start: false,
        mustRun: false,
      },
      here,
    );
    const service = new Container(
      "service",
      {
        name: `routeql-${stack}-service`,
        image,
        command: ["bash", "-c", script],
        user: "12345:12345",
        labels: [...labels, { label: "com.routeql.files", value: carrier.id }],
        networksAdvanced: [network, ...second].map(({ name }) => ({ name, aliases: ["service"] })),
        volumes: [
          { volumeName: files.name, containerPath: "/run/routeql", readOnly: true },
          ...(hasData ? [{ volumeName: data.name, containerPath: "/data" }] : []),
        ],
        ...(port === undefined ? {} : { ports: [{ internal: 8080, external: port, ip: "127.0.0.1" }] }),
        tmpfs: { "/tmp": "rw,noexec,size=1m" },
        readOnly: true,
        capabilities: { drops: ["ALL"] },
        securityOpts: ["no-new-privileges"],
        memory,
        memorySwap: memory,
        logDriver: "json-file",
        logOpts: { "max-size": "1m", "max-file": "2" },
        restart: "unless-stopped",
        healthcheck: {
          tests: ["CMD", "bash", "-c", check],
          interval: "1s",
          timeout: "2s",
          retries: 2,
          startPeriod: "1s",
        },
        wait: true,
        waitTimeout: 60,
        destroyGraceSeconds: 1,
      },
      { ...here, ignoreChanges: ["memorySwap"] },
    );
    const once = new Container(
      "job",
      {
        name: `routeql-${stack}-job`,
        image,
        command: ["bash", "-c", job],
        labels,
        networksAdvanced: [{ name: network.name }],
        restart: "no",
        mustRun: false,
        attach: true,
        logs: true,
      },
      { ...here, dependsOn: [service] },
    );
    return { service: service.id, word: word.result, exitCode: once.exitCode, log: once.containerLogs };
  };
}
