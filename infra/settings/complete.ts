import { directoryProblems } from "./directory-problems.ts";
import type { SettingsProblem } from "./error.ts";
import { mirroredSettings, throughMirror } from "./image-mirror.ts";
import { kubernetesProblems } from "./kubernetes-problems.ts";
import { settingNames, settings } from "./list.ts";
import type { GivenSettings, PlainSettings, SettingName } from "./list.ts";
import { partProblems } from "./part-problems.ts";
import type { Setting } from "./setting.ts";

/** Fills in the defaults of a stack. Secrets are left out: they are kept apart from everything that is not secret. */
export function withDefaults(given: GivenSettings, stack: string): PlainSettings {
  const values: Partial<Record<SettingName, string | number | boolean>> = {};
  for (const name of settingNames) {
    const setting: Setting = settings[name];
    const value = given[name] ?? setting.defaultIn?.[stack] ?? setting.default;
    if (setting.type !== "secret" && value !== undefined) values[name] = value;
  }
  for (const name of mirroredSettings) values[name] = throughMirror(String(values[name]), given.imageMirror);
  return values as PlainSettings;
}

/** Settings that are each allowed, but not together. */
export function contradictions(given: GivenSettings, stackName: string): SettingsProblem[] {
  const settings = withDefaults(given, stackName);
  const problems = [...directoryProblems(given, settings), ...partProblems(given, settings), ...kubernetesProblems(given, settings)];
  const place = "together with another setting";
  const stack = ["prometheusPort", "alertmanagerPort"] as const;
  const ports = ["httpPort", "httpsPort", "consolePort", ...(settings.monitoring === "stack" ? stack : [])] as const;
  for (const [index, name] of ports.entries()) {
    const same = ports.slice(0, index).find((other) => settings[other] === settings[name]);
    if (same !== undefined) problems.push({ name, place, problem: `is the same port as ${same}: ${settings[name]}` });
  }
  if (settings.monitoring === "stack" && settings.target !== "docker") {
    problems.push({ name: "monitoring", place, problem: `is stack, but target is ${settings.target}, not docker; use scrape and your cluster's Prometheus` });
  }
  if (settings.monitoring === "operator" && settings.target !== "kubernetes") {
    problems.push({ name: "monitoring", place, problem: `is operator, but target is ${settings.target}, not kubernetes; use scrape or stack` });
  }
  if ((settings.tlsCertificateFile === undefined) !== (settings.tlsPrivateKeyFile === undefined)) {
    const [name, other] =
      settings.tlsCertificateFile === undefined
        ? ["tlsCertificateFile", "tlsPrivateKeyFile"]
        : ["tlsPrivateKeyFile", "tlsCertificateFile"];
    problems.push({ name, place, problem: `is missing, but ${other} is set; give both or neither` });
  }
  if (settings.sessionIdleSeconds > settings.sessionAbsoluteSeconds) {
    problems.push({ name: "sessionIdleSeconds", place, problem: "must not be more than sessionAbsoluteSeconds" });
  }
  return problems;
}
