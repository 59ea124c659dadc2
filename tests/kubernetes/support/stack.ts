import type { UpResult } from "@routeql/cli/stack/bring-up";
import { bringDown, bringUp } from "../../harness/stack/commands.ts";
import { engineOfTheRun } from "../../e2e/support/stack/engine-of-the-run.ts";
import type { NodeAccess } from "../../kubernetes-node/access.ts";

/** Name of the suite's stack: like `prod`, without the services that a test machine lacks. */
export const stackName = "kubernetes";
export const namespace = `routeql-${stackName}`;

/** All clients of the suite share one address, so the limits per address are high. */
export const stackSettings = (node: NodeAccess): Record<string, string> => ({
  target: "kubernetes",
  engine: "embedded",
  database: "single",
  sessions: "single",
  // The minimum, so that a test can wait for a token's expiry.
  tokenLifeSeconds: "60",
  gatewayService: "NodePort",
  publicHost: node.address,
  httpPort: "30080",
  httpsPort: "30443",
  consolePort: "32000",
  engineConsole: "true",
  gatewayReplicas: "2",
  gatewayReplicasMost: "2",
  engineReplicas: "2",
  engineReplicasMost: "2",
  sidecarReplicas: "2",
  sidecarReplicasMost: "2",
  databaseStorage: "1Gi",
  loginAttemptsPerAddress: "1000",
  loginRequestsPerMinutePerAddress: "6000",
  requestsPerSecondPerAddress: "500",
  requestBurst: "1000",
  connectionsPerAddress: "1000",
  ...engineOfTheRun(),
});

/** Starts or updates the suite's stack on the node. @param more settings beside the suite's */
export function up(
  node: NodeAccess,
  log?: (line: string) => void,
  more: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<UpResult> {
  return bringUp({
    stack: stackName,
    settings: { ...stackSettings(node), ...more },
    deliverImages: (images) => node.loadImages(images),
    ...(log ? { log } : {}),
    ...(signal ? { signal } : {}),
  });
}

export const down = (): ReturnType<typeof bringDown> => bringDown({ stack: stackName, volumes: true });
