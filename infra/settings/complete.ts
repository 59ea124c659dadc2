import type { Input } from "@pulumi/pulumi";
import { image } from "./checks.ts";
import { directorySettingNames } from "./sidecar-settings.ts";
import type { SettingsProblem } from "./error.ts";
import { kubernetesProblems } from "./kubernetes-problems.ts";
import {
  type GivenInputs,
  type GivenSettings,
  type PlainSettings,
  type SettingName,
  settingNames,
  type Settings,
  settings,
} from "./list.ts";
import { derive, isPending } from "../inputs.ts";
import type { Setting } from "./setting.ts";

const place = "together with another setting";

/** Invalid combinations of directory settings; the auth sidecar has the same checks. */
function directoryProblems(given: GivenInputs, settings: Settings): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const wrong = (name: SettingName, problem: string): void => void problems.push({ name, place, problem });
  const missing = (name: SettingName, other: string): void => wrong(name, `is missing, but ${other} is set`);

  const present = directorySettingNames.filter((name) => given[name] !== undefined);
  if (settings.ldapUrl === undefined) {
    if (present.length > 0) missing("ldapUrl", present.join(", "));
    return problems;
  }
  if (settings.ldapUserBase === undefined) missing("ldapUserBase", "ldapUrl");
  if (given.ldapBindPassword === undefined && settings.ldapBindDn !== undefined)
    missing("ldapBindPassword", "ldapBindDn");
  if (given.ldapBindPassword !== undefined && settings.ldapBindDn === undefined)
    missing("ldapBindDn", "ldapBindPassword");
  const { ldapUrl, ldapStarttls, ldapPlaintext } = settings;
  if (!isPending(ldapUrl) && /\bldap:/.test(ldapUrl) && ldapStarttls === false && ldapPlaintext === false) {
    const remedy = "take ldaps:// or set ldapStarttls or, if you must, ldapPlaintext";
    wrong("ldapUrl", `has ldap://, which sends passwords readable: ${remedy}`);
  }
  return problems;
}

/** Invalid combinations of settings for the database, the session store and monitoring. */
function partProblems(given: GivenInputs, settings: Settings): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const wrong = (name: SettingName, problem: string): void => void problems.push({ name, place, problem });
  for (const part of ["database", "sessions"] as const) {
    const external = settings[part] === "external";
    const url = `${part}Url` as const;
    if (external && given[url] === undefined) wrong(url, `is missing, but ${part} is external`);
    for (const name of [url, `${part}CaFile`] as const)
      if (!external && given[name] !== undefined) wrong(name, `is set, but ${part} is ${settings[part]}, not external`);
  }
  for (const name of ["alertWebhookUrl", "alertWatchdogUrl", "alertEmailTo"] as const)
    if (given[name] !== undefined && settings.monitoring !== "stack")
      wrong(name, `is set, but monitoring is ${settings.monitoring}, not stack`);
  if ((given.alertEmailTo === undefined) !== (given.alertSmtpHost === undefined))
    wrong(given.alertEmailTo === undefined ? "alertEmailTo" : "alertSmtpHost", "is missing: e-mail needs both");
  if ((given.alertSmtpUser === undefined) !== (given.alertSmtpPassword === undefined))
    wrong("alertSmtpUser", "needs alertSmtpPassword, and the password needs the user");
  if (settings.database === "cloudnative-pg" && settings.target !== "kubernetes") {
    wrong("database", `is cloudnative-pg, but target is ${settings.target}, not kubernetes`);
  }
  return problems;
}

/** Settings that may name an image of Docker Hub. */
const mirroredSettings = settingNames.filter(
  (name) => (settings[name] as Setting).allowed === image.allowed && name !== "imageMirror",
);

/** Images of this project exist on this machine only. */
const ownPrefix = "routeql/";

/**
 * The name of an image in the mirror of Docker Hub. Docker Hub keeps official images in `library/`.
 *
 * @example throughMirror("postgres:17.12", "registry.example.net/hub") // registry.example.net/hub/library/postgres:17.12
 */
function throughMirror(image: string, mirror: string | undefined): string {
  if (mirror === undefined || image.startsWith(ownPrefix)) return image;
  const prefix = mirror.replace(/\/+$/, "");
  const [first = "", ...rest] = image.split("/");
  if (rest.length === 0) return `${prefix}/library/${image}`;
  const namesRegistry = /[.:]/.test(first) || first === "localhost";
  return namesRegistry ? image : `${prefix}/${image}`;
}

/** Fills in the defaults of a stack. Secrets are kept apart from all other values. */
export function withDefaults(given: GivenSettings, stack: string): PlainSettings;
export function withDefaults(given: GivenInputs, stack: string): Settings;
export function withDefaults(given: GivenInputs, stack: string): Settings {
  const values: Partial<Record<SettingName, unknown>> = {};
  for (const name of settingNames) {
    const setting: Setting = settings[name];
    const value = given[name] ?? setting.defaultIn?.[stack] ?? setting.default;
    if (setting.type !== "secret" && value !== undefined) values[name] = value;
  }
  for (const name of mirroredSettings) {
    const named = { image: values[name] as Input<string>, mirror: given.imageMirror };
    if (named.image !== undefined) values[name] = derive(named, (known) => throughMirror(known.image, known.mirror));
  }
  return values as unknown as Settings;
}

/** Settings of the ports that a stack on Docker publishes. */
export function publishedPorts({ monitoring, grafanaImage }: Pick<Settings, "monitoring" | "grafanaImage">) {
  const stack = ["prometheusPort", ...(grafanaImage === undefined ? [] : (["grafanaPort"] as const))] as const;
  return ["httpPort", "httpsPort", "consolePort", ...(monitoring === "stack" ? stack : [])] as const;
}

/** Combinations of allowed settings that are invalid together. */
export function contradictions(given: GivenInputs, stackName: string): SettingsProblem[] {
  const settings = withDefaults(given, stackName);
  const problems = [
    ...directoryProblems(given, settings),
    ...partProblems(given, settings),
    ...kubernetesProblems(given, settings),
  ];
  const ports = publishedPorts(settings);
  for (const [index, name] of ports.entries()) {
    const port = settings[name];
    const same = ports.slice(0, index).find((other) => settings[other] === port);
    if (same !== undefined && !isPending(port))
      problems.push({ name, place, problem: `is the same port as ${same}: ${port}` });
  }
  if (settings.monitoring === "stack" && settings.target !== "docker") {
    const problem = `is stack, but target is ${settings.target}, not docker; use scrape and your cluster's Prometheus`;
    problems.push({ name: "monitoring", place, problem });
  }
  if (settings.grafanaImage !== undefined && settings.monitoring !== "stack") {
    const problem = `needs monitoring=stack, but monitoring is ${settings.monitoring}; docs/operate/monitoring.md has the dashboard for your own Grafana`;
    problems.push({ name: "grafanaImage", place, problem });
  }
  if (settings.monitoring === "operator" && settings.target !== "kubernetes") {
    const problem = `is operator, but target is ${settings.target}, not kubernetes; use scrape or stack`;
    problems.push({ name: "monitoring", place, problem });
  }
  if ((settings.tlsCertificateFile === undefined) !== (settings.tlsPrivateKeyFile === undefined)) {
    const [name, other] =
      settings.tlsCertificateFile === undefined
        ? ["tlsCertificateFile", "tlsPrivateKeyFile"]
        : ["tlsPrivateKeyFile", "tlsCertificateFile"];
    problems.push({ name, place, problem: `is missing, but ${other} is set; give both or neither` });
  }
  const { sessionIdleSeconds: idle, sessionAbsoluteSeconds: absolute } = settings;
  if (!isPending(idle) && !isPending(absolute) && idle > absolute) {
    problems.push({ name: "sessionIdleSeconds", place, problem: "must not be more than sessionAbsoluteSeconds" });
  }
  return problems;
}
