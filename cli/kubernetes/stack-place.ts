import { Failure, messageOf } from "@routeql/host/failure";
import { noArchive } from "../place/archive.ts";
import type { StackPlace } from "../place/stack-place.ts";
import { autoscalerProblems } from "./observed/autoscalers.ts";
import { openProgramsInCluster } from "./database/client-programs.ts";
import { connectTo } from "./connection/connect.ts";
import { clusterEvidence } from "./observed/evidence.ts";
import { executeInPod } from "./connection/execute.ts";
import type { Place } from "./place.ts";
import { isDown, readyPod } from "./pods.ts";
import { readClusterLogs } from "./observed/read-logs.ts";
import { migrateAgain } from "./database/run-job.ts";
import { clusterServiceStates } from "./observed/service-states.ts";

/** A stack on a cluster. Each work connects by itself, which also checks the owner. */
export function clusterPlace(stack: string, place: Place): StackPlace {
  return {
    target: "kubernetes",
    requireOwn: async () => void (await connectTo(place, stack)),
    services: (signal) => clusterServiceStates(place, stack, signal),
    logs: (options, signal) => readClusterLogs(place, stack, options, signal),
    async enter(service) {
      const { config, cluster } = await connectTo(place, stack);
      const pod = await readyPod(cluster, place, service, stack);
      return (program, streams) => executeInPod(config, place, pod, program, streams);
    },
    openPrograms: (signal) => openProgramsInCluster(place, stack, signal),
    runJob: async (job, signal) => (job === "migrate" ? migrateAgain(place, stack, signal) : undefined),
    archive: () => Promise.reject(noArchive(stack)),
    alerting: () =>
      Promise.reject(
        new Failure(`The stack ${stack} runs on Kubernetes, which has a Prometheus and an Alertmanager of its own`, {
          remedy:
            "set MONITORING=operator or scrape, and ask those of the cluster: docs/operate/monitoring.md#kubernetes",
        }),
      ),
    isStopped: async (service) => isDown((await connectTo(place, stack)).cluster, place, service),
    publishedAddress: async () => undefined,
    mustAnswer: false,
    // The Prometheus of a cluster is not one of the stack.
    facts: async (_, signal) => {
      const { cluster } = await connectTo(place, stack, signal);
      return { problems: await autoscalerProblems(cluster, place, signal) };
    },
    evidence: (signal) => clusterEvidence(place, stack, signal),
    version: async (signal) => ({ kubernetes: (await connectTo(place, stack, signal)).version }),
    async resources(signal) {
      const { cluster } = await connectTo(place, stack, signal);
      const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(place.namespace)}/pods`;
      const pods = await cluster.api
        .json<{ items?: unknown }>({ method: "GET", path, signal })
        .catch((error: unknown) => ({ items: `not available: ${messageOf(error)}` }));
      return { pods: pods.items };
    },
  };
}
