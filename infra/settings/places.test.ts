import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { writtenArgument } from "./groups.ts";
import { type SettingName, settingNames, settings } from "./list.ts";

const root = resolve(import.meta.dirname, "../..");
const sources = globSync("{auth-sidecar,cli,database,engine/src,images,infra,nginx,packages}/**/*.{ts,sh,conf}", {
  cwd: root,
  exclude: ["**/*.test.ts", "**/node_modules"],
}).map((path) => [path, readFileSync(resolve(root, path), "utf8")] as const);

/** Files that name a setting, or the variable in which its service reads it. */
const placesOf = (name: keyof typeof settings): string[] =>
  sources
    .filter(([, text]) => new RegExp(`\\b(${name}|${settings[name].environment})\\b`).test(text))
    .map(([path]) => path)
    .sort();

test.each([
  ["passwordHashQueue", "auth-sidecar/src/sidecar.ts", "packages/sidecar-settings/numbers.ts"],
  ["keyRotationHours", "auth-sidecar/src/keys/key-rotation.ts", "packages/sidecar-settings/numbers.ts"],
  ["loginWindowSeconds", "auth-sidecar/src/throttle/throttle.ts", "packages/sidecar-settings/numbers.ts"],
  ["queryDepth", "infra/services/embedded-engine.ts", "infra/settings/declared/engine.ts"],
  ["requestBurst", "infra/services/gateway.ts", "infra/settings/declared/gateway.ts"],
  ["metricsDays", "infra/services/monitoring.ts", "infra/settings/declared/monitoring.ts"],
  ["archiveQueueMegabytes", "infra/services/archive.ts", "infra/settings/declared/data-stores.ts"],
  ["databaseStorage", "infra/settings/declared/kubernetes.ts", "infra/targets/kubernetes/kubernetes-run.ts"],
] as const)("%s is in two files: its declaration and its use", (name, ...places) => {
  expect(placesOf(name)).toEqual(places);
});

/** Names whose environment name says more than the key of the configuration. */
const exceptions: Partial<Record<SettingName, string>> = {
  namespace: "KUBERNETES_NAMESPACE",
  createNamespace: "KUBERNETES_CREATE_NAMESPACE",
  clusterDomain: "KUBERNETES_CLUSTER_DOMAIN",
};

test.each(settingNames)("%s has one name in three forms", (name) => {
  const letters = (text: string): string => text.replaceAll("_", "").toLowerCase();
  const [last = "", group] = writtenArgument(name).split(".").toReversed();
  expect(letters(settings[name].environment)).toBe(letters(exceptions[name] ?? name));
  if (last === "kind") expect(name).toBe(group);
  else expect(letters(name)).toMatch(new RegExp(`${last}$`, "i"));
});

test("no two settings share a name", () => {
  expect(new Set(settingNames.map(writtenArgument)).size).toBe(settingNames.length);
  expect(new Set(settingNames.map((name) => settings[name].environment)).size).toBe(settingNames.length);
});
