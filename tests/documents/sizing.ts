import { describeServices } from "@routeql/infra/services/all";
import { withDefaults } from "@routeql/infra/settings/reading/complete";

const bounds = {
  gateway: ["gatewayReplicas", "gatewayReplicasMost"],
  engine: ["engineReplicas", "engineReplicasMost"],
  front: ["engineReplicas", "engineReplicasMost"],
  "auth-sidecar": ["sidecarReplicas", "sidecarReplicasMost"],
} as const;
type Replicas = keyof typeof bounds;
const hasBounds = (name: string): name is Replicas => Object.hasOwn(bounds, name);

/** Requests of each pod of the stack `prod`, from the descriptions of its services. */
export function sizingTable(): string {
  const settings = withDefaults({ target: "kubernetes" }, "prod");
  const services = describeServices(settings, { hostOf: (name) => name, certificate: "", stack: "prod" });
  const rows = services.map(({ name, run, resources: { cpuMillicores, memoryMegabytes } }) => {
    const [least, most] = hasBounds(name) ? bounds[name].map((setting) => settings[setting]) : [1, 1];
    const pods = run === "job" ? "a job" : least === most ? String(least) : `${least} to ${most}`;
    const row = `| ${name} | ${cpuMillicores}m | ${Number(memoryMegabytes)} MiB | ${pods} |`;
    return { row, run, cpuMillicores, memory: Number(memoryMegabytes), least: least! };
  });
  const running = rows.filter(({ run }) => run === "service");
  const sum = (of: (row: (typeof rows)[number]) => number): number =>
    running.reduce((all, row) => all + of(row) * row.least, 0);
  const cpu = sum((row) => row.cpuMillicores);
  const memory = sum((row) => row.memory);
  return [
    "| pod | processor | memory | pods |",
    "|---|---|---|---|",
    ...rows.map(({ row }) => row),
    `| least in all | ${cpu}m | ${memory} MiB | |`,
  ].join("\n");
}
