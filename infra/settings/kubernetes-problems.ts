import type { SettingsProblem } from "./error.ts";
import type { PlainSettings, SettingName } from "./list.ts";

const place = "together with another setting";
/** Kubernetes' usual range of node ports. */
const [firstNodePort, lastNodePort] = [30_000, 32_767];

/** What is wrong with the settings of the target `kubernetes` taken together. */
export function kubernetesProblems(settings: PlainSettings): SettingsProblem[] {
  if (settings.target !== "kubernetes") return [];
  const problems: SettingsProblem[] = [];
  const wrong = (name: SettingName, problem: string): void => void problems.push({ name, place, problem });

  for (const [least, most] of [
    ["gatewayReplicas", "gatewayReplicasMost"],
    ["engineReplicas", "engineReplicasMost"],
    ["sidecarReplicas", "sidecarReplicasMost"],
  ] as const) {
    if (settings[most] < settings[least]) wrong(most, `must not be less than ${least}, ${settings[least]}`);
  }
  if (settings.gatewayService === "NodePort") {
    for (const name of ["httpPort", "httpsPort", "consolePort"] as const) {
      if (settings[name] >= firstNodePort && settings[name] <= lastNodePort) continue;
      wrong(name, `must be from ${firstNodePort} to ${lastNodePort}, as gatewayService is NodePort, not ${settings[name]}`);
    }
  }
  if (settings.pushImages && settings.imageRegistry === undefined) wrong("imageRegistry", "is missing, but pushImages is true");
  return problems;
}
