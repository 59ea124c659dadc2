import {
  hidden,
  isDockerContainer,
  listOf,
  type PlannedResource,
  podOf,
  recordOf,
  type Rule,
  subject,
  textOf,
  type Workload,
  workloadsOf,
} from "./policy-rule.ts";
import { archiveDirectory } from "../description/service.ts";
import { isPinned } from "../settings/values/checks.ts";

/** A rule about single containers. */
const perWorkload = (look: (workload: Workload) => readonly string[]): Rule["violations"] => {
  return (resource) =>
    workloadsOf(resource).flatMap((workload) => look(workload).map((problem) => subject(workload) + problem));
};

const databasePorts: ReadonlySet<unknown> = new Set([
  5432,
  6379,
  "5432",
  "6379",
  "postgres",
  "postgresql",
  "redis",
  "valkey",
]);

const noPublicDatabasePort: Rule = {
  name: "no-public-database-port",
  description: "Databases and session stores publish no port: only services of the stack may reach them.",
  violations(resource: PlannedResource) {
    const { type, inputs } = resource;
    if (isDockerContainer(resource)) {
      const published = listOf(inputs["ports"]).map(recordOf);
      return published
        .filter(({ internal }) => databasePorts.has(internal))
        .map(({ internal }) => `publishes the port ${String(internal)} of a database`);
    }
    if (type === "kubernetes:core/v1:Service") {
      const spec = recordOf(inputs["spec"]);
      if (!["LoadBalancer", "NodePort"].includes(String(spec["type"])) && listOf(spec["externalIPs"]).length === 0)
        return [];
      return listOf(spec["ports"])
        .map(recordOf)
        .filter(({ port, targetPort }) => databasePorts.has(port) || databasePorts.has(targetPort))
        .map(({ port }) => `publishes the port ${String(port)} of a database`);
    }
    return workloadsOf(resource).flatMap((workload) =>
      listOf(workload.container["ports"])
        .map(recordOf)
        .filter(({ containerPort, hostPort }) => hostPort !== undefined && databasePorts.has(containerPort))
        .map(({ hostPort }) => `${subject(workload)}publishes a database on the node's port ${String(hostPort)}`),
    );
  },
};

const noUnpinnedImage: Rule = {
  name: "no-unpinned-image",
  description: "Images are named by a digest or a version tag, so that a restart always runs the same image.",
  violations: perWorkload(({ container: { image } }) =>
    typeof image !== "string" || isPinned(image) ? [] : [`runs ${image}, which names no version`],
  ),
};

function dockerPrivileges({ container }: Workload): readonly string[] {
  const { privileged, capabilities, networkMode, pidMode, ipcMode, user, volumes, readOnly, start, securityOpts } =
    container;
  const mounts = listOf(volumes)
    .map(recordOf)
    .filter(({ hostPath, containerPath }) => typeof hostPath === "string" && containerPath !== archiveDirectory);
  const { adds, drops } = recordOf(capabilities);
  return [
    ...(privileged === true ? ["is privileged"] : []),
    ...(listOf(adds).length > 0 ? [`adds the capabilities ${listOf(adds).join(", ")}`] : []),
    ...[networkMode, pidMode, ipcMode].filter((mode) => mode === "host").map(() => "shares a namespace of the host"),
    ...(/^(0|root)?(:|$)/.test(textOf(user)) ? ["runs as root"] : []),
    ...mounts.map(({ hostPath }) => `mounts ${String(hostPath)} of the host`),
    // A container that never starts needs none of these.
    ...(start === false
      ? []
      : [
          ...(listOf(drops).includes("ALL") ? [] : ["keeps capabilities"]),
          ...(listOf(securityOpts).some((option) => String(option).startsWith("no-new-privileges"))
            ? []
            : ["may gain privileges"]),
          ...(readOnly === true ? [] : ["may write to its root file system"]),
        ]),
  ];
}

function kubernetesPrivileges({ container, pod }: Workload): readonly string[] {
  const own = recordOf(container["securityContext"]);
  const shared = recordOf(pod["securityContext"]);
  const { add, drop } = recordOf(own["capabilities"]);
  const runAsNonRoot = own["runAsNonRoot"] ?? shared["runAsNonRoot"];
  return [
    ...(own["privileged"] === true ? ["is privileged"] : []),
    ...(own["allowPrivilegeEscalation"] === false ? [] : ["may gain privileges"]),
    ...(listOf(add).length > 0 ? [`adds the capabilities ${listOf(add).join(", ")}`] : []),
    ...(listOf(drop).includes("ALL") ? [] : ["keeps capabilities"]),
    ...(runAsNonRoot === true ? [] : ["may run as root"]),
    ...(own["readOnlyRootFilesystem"] === true ? [] : ["may write to its root file system"]),
  ];
}

const noPrivilegedContainer: Rule = {
  name: "no-privileged-container",
  description: "Containers run without root and capabilities, cannot gain them, and share nothing with their host.",
  violations(resource) {
    const pod = podOf(resource) ?? {};
    const shared = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => pod[name] === true);
    const paths = listOf(pod["volumes"])
      .map(recordOf)
      .filter(({ hostPath }) => hostPath !== undefined);
    return [
      ...shared.map((name) => `has ${name}`),
      ...paths.map(({ hostPath }) => `mounts ${String(recordOf(hostPath)["path"])} of the node`),
      ...perWorkload((workload) =>
        workload.kind === "docker" ? dockerPrivileges(workload) : kubernetesPrivileges(workload),
      )(resource),
    ];
  },
};

const limitsPresent: Rule = {
  name: "limits-present",
  description: "Containers have a memory limit, so that none can starve the others.",
  violations: perWorkload(({ kind, container }) => {
    if (kind === "docker") {
      const { memory, start } = container;
      return start === false || (typeof memory === "number" && memory > 0) ? [] : ["has no limit of memory"];
    }
    const limits = recordOf(recordOf(container["resources"])["limits"]);
    return limits["memory"] === undefined ? ["has no limit of memory"] : [];
  }),
};

const secretName = /(PASSWORD|PASSPHRASE|SECRET|TOKEN|CREDENTIALS?|PRIVATE_KEY|ACCESS_KEY|API_KEY|ENCRYPTION_KEY)$/;
const addressWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/@:\s]*:[^/@\s]+@/i;

/** HASURA_GRAPHQL_JWT_SECRET may be JSON with only the address of public keys, despite its name. */
function namesPublicKeys(value: string): boolean {
  try {
    const parsed = recordOf(JSON.parse(value));
    return typeof parsed["jwk_url"] === "string" && parsed["key"] === undefined;
  } catch {
    return false;
  }
}

/** The problems of a variable; never its value. */
function variableProblem(name: string, value: unknown): readonly string[] {
  if (value === hidden) return [`has the secret ${name} in its environment`];
  if (typeof value !== "string" || value === "") return [];
  const looksSecret = (secretName.test(name) && !namesPublicKeys(value)) || addressWithPassword.test(value);
  return looksSecret ? [`has the secret ${name} in its environment`] : [];
}

const noPlainSecret: Rule = {
  name: "no-secret-in-environment",
  description:
    "Secrets are files or references. Values of variables and ConfigMaps are visible to every user who may inspect a container.",
  violations(resource) {
    if (resource.type === "kubernetes:core/v1:ConfigMap") {
      return Object.entries(recordOf(resource.inputs["data"])).flatMap(([key, value]) =>
        value === hidden ? [`has the secret ${key} as plain data`] : [],
      );
    }
    return perWorkload(({ kind, container }) => {
      if (kind === "kubernetes") {
        return listOf(container["env"])
          .map(recordOf)
          .flatMap(({ name, value }) => variableProblem(String(name), value));
      }
      const { envs } = container;
      if (envs === hidden) return ["has secrets in its environment"];
      return listOf(envs).flatMap((entry) => {
        if (entry === hidden) return ["has a secret in its environment"];
        const [name = "", ...rest] = String(entry).split("=");
        return variableProblem(name, rest.join("="));
      });
    })(resource);
  },
};

/** Paths of the open strings of a value that have a private key. */
function keysIn(value: unknown, path: string): readonly string[] {
  if (typeof value === "string") return /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => keysIn(item, path === "" ? key : `${path}.${key}`));
}

const noPlainKey: Rule = {
  name: "no-private-key-in-plain-text",
  description: "Private keys are secrets: every other value is readable in the state, in ConfigMaps and in manifests.",
  violations: ({ inputs }) => keysIn(inputs, "").map((path) => `has a private key in plain text in ${path}`),
};

export const rules: readonly Rule[] = [
  noPublicDatabasePort,
  noUnpinnedImage,
  noPrivilegedContainer,
  limitsPresent,
  noPlainSecret,
  noPlainKey,
];

/** All violations of a resource: `<rule>: <resource> <problem>`. */
export function violationsOf(resource: PlannedResource, among: readonly Rule[] = rules): readonly string[] {
  return among.flatMap(({ name, violations }) =>
    violations(resource).map((problem) => `${name}: ${resource.name} ${problem}`),
  );
}
