import { node } from "./node.ts";
import { namespace } from "./stack.ts";

/** Result of a connection attempt: accepted by a program, refused by a closed port, or denied by a policy. */
export type Outcome = "connected" | "refused" | "forbidden";

export interface Target {
  readonly host: string;
  readonly port: number;
}

interface Labelled {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

export const labelsOf = (service: string): Record<string, string> => ({
  "app.kubernetes.io/name": service,
  "app.kubernetes.io/instance": namespace,
});

const probeName = (service: string): string => `probe-${service}`;

/**
 * A pod that policies treat like one of a service's. It is never ready, so no Service sends it requests.
 * @param image one with Node @param nodeName default: the scheduler's choice
 */
function probePod(service: string, image: string, nodeName?: string): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: probeName(service), namespace, labels: { ...labelsOf(service), probe: "true" } },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      readinessGates: [{ conditionType: "routeql.test/never" }],
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "probe",
          image,
          imagePullPolicy: "Never",
          command: ["sleep", "3600"],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  };
}

/** Creates one probe for each service and waits until they run. */
export async function makeProbes(services: readonly string[], nodeName?: string): Promise<void> {
  const { items } = await node.get<{ items: (Labelled & { spec: { containers: { image: string }[] } })[] }>(
    "pods",
    `--namespace=${namespace}`,
    "--selector=app.kubernetes.io/name=auth-sidecar",
  );
  const image = items[0]!.spec.containers[0]!.image;
  await node.apply(services.map((service) => probePod(service, image, nodeName)));
  await node.kubectl([
    "wait",
    `--namespace=${namespace}`,
    "pod",
    "--selector=probe=true",
    "--for=jsonpath={.status.phase}=Running",
    "--timeout=180s",
  ]);
}

export async function removeProbes(): Promise<void> {
  await node.kubectl(["delete", "pods", `--namespace=${namespace}`, "--selector=probe=true", "--ignore-not-found"]);
}

const script = `
const { connect } = require("node:net");
const attempt = ({ host, port }) => new Promise((resolve) => {
  const socket = connect({ host, port, timeout: 8000 });
  const end = (outcome) => { socket.destroy(); resolve(outcome); };
  socket.once("connect", () => end("connected"));
  socket.once("timeout", () => end("forbidden"));
  socket.once("error", ({ code }) => end({ ECONNREFUSED: "refused", EHOSTUNREACH: "forbidden" }[code] ?? code));
});
Promise.all(JSON.parse(process.argv[1]).map(attempt)).then((outcomes) => console.log(JSON.stringify(outcomes)));
`;

/** Tries to connect to each target as a pod of a service. */
export const tryFrom = (service: string, targets: readonly Target[]): Promise<Outcome[]> =>
  tryIn(namespace, probeName(service), targets);

/** Tries to connect to each target from a pod. */
export async function tryIn(within: string, pod: string, targets: readonly Target[]): Promise<Outcome[]> {
  const command = ["exec", `--namespace=${within}`, pod, "--", "node", "-e", script, JSON.stringify(targets)];
  return JSON.parse(await node.kubectl(command)) as Outcome[];
}

/** Whether a pod of a service can resolve a name. */
export async function looksUp(service: string, name: string): Promise<boolean> {
  const lookUp = "require('node:dns').lookup(process.argv[1], (error) => console.log(error ? 'no' : 'yes'))";
  return (
    (
      await node.kubectl(["exec", `--namespace=${namespace}`, probeName(service), "--", "node", "-e", lookUp, name])
    ).trim() === "yes"
  );
}
