export interface Step {
  readonly op: string;
  readonly urn: string;
  /** Names of the properties that change. */
  readonly diffs?: readonly string[];
}

const jobs: ReadonlySet<string> = new Set(["migrate", "apply-metadata"]);
/** Services that start beside their predecessor. */
const beside: ReadonlySet<string> = new Set(["engine", "front", "auth-sidecar"]);
const workloads: ReadonlySet<string> = new Set(["Container", "Deployment", "StatefulSet", "Job", "Cluster"]);
const volumes: ReadonlySet<string> = new Set(["Volume", "PersistentVolumeClaim", "Cluster"]);

/** Type and name without the component's: `docker:index/container:Container`, `routeql-engine` → `Container`, `engine`. */
function partsOf(urn: string): readonly [type: string, name: string] {
  const [, , types = "", name = ""] = urn.split("::");
  return [types.split(":").at(-1)!, name.replace(/^[^-]*-/, "")];
}

export function describeEffects(steps: readonly Step[]): string[] {
  const changed = steps
    .map(({ op, urn }) => [op, ...partsOf(urn)] as const)
    .filter(([op]) => /^(update|replace|create|delete)/.test(op));
  const named = (types: ReadonlySet<string>, suffix = ""): string[] => [
    ...new Set(
      changed.flatMap(([, type, name]) =>
        types.has(type) && name.endsWith(suffix) ? [name.slice(0, name.length - suffix.length)] : [],
      ),
    ),
  ];
  const restarted = named(workloads).filter((name) => !name.endsWith("-files"));
  const reloads = named(workloads, "-files").filter((name) => name === "gateway" && !restarted.includes(name));
  const services = restarted.filter((name) => !jobs.has(name));
  const kinds = new Map(changed.flatMap(([, type, name]) => (workloads.has(type) ? [[name, type] as const] : [])));
  const replaced = new Set(changed.flatMap(([op, , name]) => (op === "update" ? [] : [name])));
  const opsOf = (service: string): Set<string> =>
    new Set(changed.flatMap(([op, type, name]) => (workloads.has(type) && name === service ? [op] : [])));
  const effects = [
    ...reloads.map((name) => `${name} reloads`),
    ...services.map((name) => {
      const [only, ...others] = opsOf(name);
      if (others.length === 0 && only === "create") return `${name} starts`;
      if (others.length === 0 && only === "delete") return `${name} ends`;
      if (kinds.get(name) === "Deployment") return `${name} is updated pod by pod`;
      if (kinds.get(name) === "StatefulSet") return `${name} restarts (requests that need it return 503 meanwhile)`;
      if (!replaced.has(name)) return `${name} changes in place`;
      if (name === "gateway") return "gateway is replaced last (1 to 2 s)";
      return beside.has(name) ? `${name} is replaced beside the old one` : `${name} restarts (some seconds)`;
    }),
  ];
  const lost = changed.flatMap(([op, type, name]) =>
    volumes.has(type) && /^(delete|replace)/.test(op) && !name.endsWith("-files") ? [name] : [],
  );
  const run = restarted.filter((name) => jobs.has(name));
  return [
    `Services: ${effects.join(", ") || "unchanged"}`,
    `Jobs:     ${run.length === 0 ? "none" : `${run.join(", ")} run`}`,
    `Data:     ${lost.length === 0 ? "no data at risk" : `AT RISK: ${[...new Set(lost)].join(", ")}`}`,
  ];
}

/** Whether a resource is a provider, a component or the stack itself, which exist only in the state. */
const isOfProgram = (urn: string): boolean => /^(pulumi|routeql):/.test(urn.split("::")[2]?.split("$").at(-1) ?? "");

/** One line for each operation and type, such as `replace 2 Container: engine (envs), gateway (ports)`. */
export function describeSteps(steps: readonly Step[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { op, urn, diffs = [] } of steps) {
    if (!/^(create|update|replace|delete)$/.test(op) || isOfProgram(urn)) continue;
    const [type, name] = partsOf(urn);
    const key = `${op} ${type}`;
    const shown = op === "create" || diffs.length === 0 ? name : `${name} (${diffs.join(", ")})`;
    groups.set(key, [...(groups.get(key) ?? []), shown]);
  }
  return [...groups].map(([key, names]) => `${key.replace(" ", ` ${names.length} `)}: ${names.join(", ")}`);
}
