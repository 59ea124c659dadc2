import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { settings } from "./list.ts";

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
  ["queryDepth", "infra/services/embedded-engine.ts", "infra/settings/list.ts"],
  ["requestBurst", "infra/services/gateway.ts", "infra/settings/list.ts"],
  ["metricsDays", "infra/services/monitoring.ts", "infra/settings/declared/monitoring.ts"],
  ["archiveQueueMegabytes", "infra/services/archive.ts", "infra/settings/declared/data-stores.ts"],
  ["databaseStorage", "infra/settings/declared/kubernetes.ts", "infra/targets/kubernetes/kubernetes-run.ts"],
] as const)("%s is in two files: its declaration and its use", (name, ...places) => {
  expect(placesOf(name)).toEqual(places);
});
