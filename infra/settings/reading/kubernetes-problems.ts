import { ownEngineImage } from "../declared/images.ts";
import { isPending } from "../../inputs.ts";
import { closed } from "../values/cluster-network.ts";
import { roles } from "@routeql/database/migrate/roles";
import type { GivenInputs, SettingName, Settings } from "../list.ts";

/** Reports a setting that is invalid together with others. */
export type Wrong = (name: SettingName, problem: string) => void;

/** Connections of each engine pod. One more listens for changes. */
const enginePool = ({ engine, enginePoolSize, engineLiveQueries }: Settings): Settings["enginePoolSize"] =>
  engine === "hasura" || engineLiveQueries === "poll" || isPending(enginePoolSize)
    ? enginePoolSize
    : enginePoolSize + 1;

/** Connections of each auth sidecar pod (its DATABASE_POOL_SIZE). */
const sidecarPoolSize = 10;
/** Namespaces of the cluster itself (kubernetes.io, initial namespaces). The stack's policies would deny the traffic of their pods. */
const systemNamespace = /^kube-/;
/** Kubernetes' default range of node ports. */
const [firstNodePort, lastNodePort] = [30_000, 32_767];

export function checkKubernetes(given: GivenInputs, settings: Settings, wrong: Wrong): void {
  if (settings.target !== "kubernetes") {
    for (const name of ["certificateIssuer", "certificateSecret", "consoleClients"] as const) {
      if (settings[name] !== undefined) wrong(name, `is set, but target is ${settings.target}, not kubernetes`);
    }
    return;
  }
  for (const name of ["engineConsole", "engineMetadataApi"] as const)
    if (settings.consoleClients === closed && settings[name])
      wrong("consoleClients", `is ${closed}, but ${name} is true, which needs the console port`);
  checkNamespace(settings, wrong);
  const certificates = (["tlsCertificateFile", "certificateIssuer", "certificateSecret"] as const).filter(
    (name) => settings[name] !== undefined,
  );
  for (const name of certificates.slice(1)) wrong(name, `is one certificate too many: ${certificates[0]} is set too`);

  for (const [least, most] of [
    ["gatewayReplicas", "gatewayReplicasMost"],
    ["engineReplicas", "engineReplicasMost"],
    ["sidecarReplicas", "sidecarReplicasMost"],
  ] as const) {
    if (settings[most] < settings[least]) wrong(most, `must not be less than ${least}, ${settings[least]}`);
  }
  if (settings.gatewayService === "NodePort") {
    for (const name of ["httpPort", "httpsPort", "consolePort"] as const) {
      const port = settings[name];
      if (isPending(port) || (port >= firstNodePort && port <= lastNodePort)) continue;
      wrong(name, `must be from ${firstNodePort} to ${lastNodePort}, as gatewayService is NodePort, not ${port}`);
    }
  }
  for (const [service, most, pool, limit] of [
    ["engine", "engineReplicasMost", enginePool(settings), roles.engine.connectionLimit],
    ["auth sidecar", "sidecarReplicasMost", sidecarPoolSize, roles.sidecar.connectionLimit],
  ] as const) {
    if (isPending(pool)) continue;
    // A rollout starts one additional pod before an old one ends.
    const connections = (settings[most] + 1) * pool;
    if (connections <= limit) continue;
    wrong(
      most,
      `makes ${connections} connections of the ${service} to the database (${pool} a pod, and one pod more during an update), but its role may have ${limit}`,
    );
  }
  if (settings.pushImages && settings.imageRegistry === undefined)
    wrong("imageRegistry", "is missing, but pushImages is true");
  if (settings.pushImages && settings.engine === "hasura" && settings.hasuraImage === ownEngineImage) {
    wrong(
      "pushImages",
      `must be false with hasuraImage ${ownEngineImage}: the image of apply-metadata starts from one that only this machine has`,
    );
  }
}

function checkNamespace({ namespace, createNamespace }: Settings, wrong: Wrong): void {
  if (namespace === undefined || isPending(namespace)) return;
  const denied = "the stack's network policies deny the traffic of all other pods in its namespace";
  if (systemNamespace.test(namespace)) wrong("namespace", `must not be ${namespace}: ${denied}`);
  else if (namespace === "default" && createNamespace)
    wrong("namespace", `must not be default, unless createNamespace is false: ${denied}`);
}
