import type { types } from "@pulumi/docker";
import type { HealthCheck } from "../../services/description.ts";

/** A GET with bash only: minimal images have no curl, and starting node for each check would cost more than the check. */
function get(port: number, path: string): string[] {
  const script = [
    `exec 3<>/dev/tcp/127.0.0.1/${port}`,
    String.raw`printf 'GET ${path} HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3`,
    "read -r -t 3 _ status _ <&3",
    "[[ $status == 2?? ]]",
  ];
  return ["CMD", "bash", "-c", script.join(" && ")];
}

/**
 * Docker's form of a health check. The interval also delays the first check, so it is short. Each check takes about a tenth of a
 * second of processor time as long as the stack runs.
 */
export function dockerHealthCheck(health: HealthCheck): types.input.ContainerHealthcheck {
  return {
    tests: health.kind === "http" ? get(health.port, health.path) : ["CMD", ...health.command],
    interval: "5s",
    timeout: "5s",
    retries: 5,
    startPeriod: "30s",
  };
}
