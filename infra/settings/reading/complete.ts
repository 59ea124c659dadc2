import type { Input } from "@pulumi/pulumi";
import {
  openingProblem,
  parseGroupRoles,
  unboundProblem,
  unknownRoles,
  unreachedProblem,
} from "@routeql/sidecar-settings/group-roles";
import { image } from "../values/checks.ts";
import { encryptionProblem } from "../declared/data-stores.ts";
import { directorySettingNames } from "../declared/sidecar.ts";
import type { SettingsProblem } from "./error.ts";
import { checkKubernetes, type Wrong } from "./kubernetes-problems.ts";
import {
  type GivenInputs,
  type GivenSettings,
  type PlainSettings,
  type SettingName,
  settingNames,
  type Settings,
  settings,
} from "../list.ts";
import { derive, isPending } from "../../inputs.ts";
import { archives } from "../archive.ts";
import { ownRoles, unservedProblem } from "../values/own-metadata.ts";
import { ownEngineImage } from "../declared/images.ts";
import type { Setting } from "../values/setting.ts";

/** Invalid combinations of directory settings; the auth sidecar has the same checks. */
function checkDirectory(given: GivenInputs, settings: Settings, wrong: Wrong): void {
  const missing = (name: SettingName, other: string): void => wrong(name, `is missing, but ${other} is set`);

  const present = directorySettingNames.filter((name) => given[name] !== undefined);
  if (settings.ldapUrl === undefined) {
    if (present.length > 0) missing("ldapUrl", present.join(", "));
    return;
  }
  if (settings.ldapUserBase === undefined) missing("ldapUserBase", "ldapUrl");
  if (settings.ldapRoles !== undefined && !isPending(settings.ldapRoles))
    checkRoles(settings.ldapRoles, settings, wrong);
  if (given.ldapBindPassword === undefined && settings.ldapBindDn !== undefined)
    missing("ldapBindPassword", "ldapBindDn");
  if (given.ldapBindPassword !== undefined && settings.ldapBindDn === undefined)
    missing("ldapBindDn", "ldapBindPassword");
  const { ldapUrl, ldapStarttls, ldapPlaintext } = settings;
  if (!isPending(ldapUrl) && /\bldap:/.test(ldapUrl) && ldapStarttls === false && ldapPlaintext === false) {
    const remedy = "take ldaps:// or set ldapStarttls or, if you must, ldapPlaintext";
    wrong("ldapUrl", `has ldap://, which sends passwords readable: ${remedy}`);
  }
}

function checkRoles(written: string, settings: Settings, wrong: Wrong): void {
  const lines = parseGroupRoles(written);
  // The setting's own check has reported it.
  if (typeof lines === "string") return;
  for (const role of unknownRoles(lines, ownRoles(settings.metadata)))
    wrong("ldapRoles", `has the role ${role}, which neither RouteQL nor your metadata has`);
  const opening = settings.ldapWideCatchAll === false ? openingProblem(lines, "ldapWideCatchAll") : undefined;
  // Stricter than the sidecar, which starts with such groups: an account that logs in today keeps its role until the next update.
  const unbound = settings.ldapGroupBase === undefined ? unboundProblem(lines, "ldapGroupBase") : undefined;
  for (const problem of [opening, unbound, unreachedProblem(lines)])
    if (problem !== undefined) wrong("ldapRoles", problem);
}

/** An object storage holds the archive on Docker, and the backups of CloudNativePG. Its login has two settings. */
function checkBackups(given: GivenInputs, settings: Settings, wrong: Wrong): void {
  const login = ["backupAccessKeyId", "backupSecretAccessKey"] as const;
  const names = ["backupDestination", "backupEndpoint", "backupRegion", "backupCaFile", ...login] as const;
  const first = names.find((name) => given[name] !== undefined);
  if (first === undefined) return;
  const onDocker = settings.target === "docker";
  if (onDocker ? !archives(settings) : settings.database !== "cloudnative-pg")
    return wrong(
      first,
      onDocker
        ? "is set, but the stack has no archive"
        : `is set, but database is ${settings.database}, not cloudnative-pg`,
    );
  if (settings.backupDestination === undefined) return wrong("backupDestination", `is missing, but ${first} is set`);
  const missing = login.filter((name) => given[name] === undefined);
  if (missing.length === 1) wrong(missing[0]!, `is missing, but ${login.find((name) => name !== missing[0])} is set`);
  if (!onDocker)
    return given.backupCaFile === undefined || given.backupEndpoint !== undefined
      ? undefined
      : wrong("backupCaFile", "is set, but backupEndpoint is missing");
  if (missing.length === 2) wrong("backupAccessKeyId", "is missing, but backupDestination is set");
  if (typeof settings.backupDestination === "string" && /^s3:\/\/[^/]*\./.test(settings.backupDestination))
    wrong("backupDestination", "has a bucket with a dot in its name, which pgBackRest rejects; use one without dots");
  if (settings.archiveDirectory !== undefined) wrong("archiveDirectory", "is set, but backupDestination is set too");
  if (typeof settings.backupEndpoint === "string" && settings.backupEndpoint.startsWith("http:"))
    wrong("backupEndpoint", "must start with https://: pgBackRest has no other connection");
}

/** Invalid combinations of settings for the database, the session store and monitoring. */
function checkParts(given: GivenInputs, settings: Settings, wrong: Wrong): void {
  for (const part of ["database", "sessions"] as const) {
    const external = settings[part] === "external";
    const url = `${part}Url` as const;
    if (external && given[url] === undefined) wrong(url, `is missing, but ${part} is external`);
    for (const name of [url, `${part}CaFile`] as const)
      if (!external && given[name] !== undefined) wrong(name, `is set, but ${part} is ${settings[part]}, not external`);
  }
  const { databaseUrl } = given;
  if (databaseUrl !== undefined && !isPending(databaseUrl)) {
    const problem = encryptionProblem(databaseUrl, {
      own: given.databaseCaFile !== undefined,
      common: given.authoritiesFile !== undefined,
    });
    if (problem !== undefined) wrong("databaseUrl", problem);
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
}

/** Settings of a source need the source. */
function checkFeed(given: GivenInputs, { feed }: Settings, wrong: Wrong): void {
  const sources = feed.split(",");
  if (sources.includes("exabgp") && given.feedExabgpAddress === undefined)
    wrong("feedExabgpAddress", `is missing, but feed is ${feed}`);
  if (!sources.includes("exabgp") && given.feedExabgpAddress !== undefined)
    wrong("feedExabgpAddress", `is set, but feed is ${feed}`);
  if (feed !== "off") return;
  if (given.feedConfiguration !== undefined)
    wrong("feedConfiguration", "is set, but feed is off; run npm run detect instead");
  if (given.feedVrpsAddress !== undefined)
    wrong("feedVrpsAddress", "is set, but feed is off; run npm run vrps each hour instead");
}

/** Settings that may name an image of Docker Hub. */
const mirroredSettings = settingNames.filter(
  (name) => (settings[name] as Setting).allowed?.startsWith(image.allowed) === true && name !== "imageMirror",
);

/** Images of this project exist on this machine only. */
const ownPrefix = "routeql/";

/** The name of an image in a mirror of Docker Hub, which keeps official images in `library/`: `registry.example.net/library/postgres:17`. */
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

export function publishedPorts({ monitoring, grafanaImage }: Pick<Settings, "monitoring" | "grafanaImage">) {
  const stack = ["prometheusPort", ...(grafanaImage === undefined ? [] : (["grafanaPort"] as const))] as const;
  return ["httpPort", "httpsPort", "consolePort", ...(monitoring === "stack" ? stack : [])] as const;
}

/** The embedded engine does not start with metadata that it serves only in part. */
function checkMetadata({ metadata, engine, hasuraImage }: Settings, wrong: Wrong): void {
  if (metadata === undefined || (engine !== "embedded" && hasuraImage !== ownEngineImage)) return;
  const unserved = unservedProblem(metadata);
  if (unserved !== undefined) wrong("metadata", `needs the engine hasura, or changes:${unserved}`);
}

export function contradictions(given: GivenInputs, stackName: string): SettingsProblem[] {
  const settings = withDefaults(given, stackName);
  const problems: SettingsProblem[] = [];
  const wrong: Wrong = (name, problem) => void problems.push({ name, place: "together with another setting", problem });
  checkDirectory(given, settings, wrong);
  checkParts(given, settings, wrong);
  checkBackups(given, settings, wrong);
  checkFeed(given, settings, wrong);
  checkMetadata(settings, wrong);
  checkKubernetes(given, settings, wrong);
  const ports = publishedPorts(settings);
  for (const [index, name] of ports.entries()) {
    const port = settings[name];
    const same = ports.slice(0, index).find((other) => settings[other] === port);
    if (same !== undefined && !isPending(port)) wrong(name, `is the same port as ${same}: ${port}`);
  }
  const { monitoring, target } = settings;
  if (monitoring === "stack" && target !== "docker")
    wrong("monitoring", `is stack, but target is ${target}, not docker; use scrape and your cluster's Prometheus`);
  if (settings.grafanaImage !== undefined && monitoring !== "stack")
    wrong(
      "grafanaImage",
      `needs monitoring=stack, but monitoring is ${monitoring}; docs/operate/monitoring.md has the dashboard for your own Grafana`,
    );
  if (monitoring === "operator" && target !== "kubernetes")
    wrong("monitoring", `is operator, but target is ${target}, not kubernetes; use scrape or stack`);
  const pair = ["tlsCertificateFile", "tlsPrivateKeyFile"] as const;
  const missing = pair.find((name) => settings[name] === undefined);
  const present = pair.find((name) => settings[name] !== undefined);
  if (missing !== undefined && present !== undefined)
    wrong(missing, `is missing, but ${present} is set; give both or neither`);
  const { sessionIdleSeconds: idle, sessionAbsoluteSeconds: absolute } = settings;
  if (!isPending(idle) && !isPending(absolute) && idle > absolute)
    wrong("sessionIdleSeconds", "must not be more than sessionAbsoluteSeconds");
  return problems;
}
