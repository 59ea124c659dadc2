import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Commits of the releases of each action, as in the tags of its repository. A new release gets its commit here. */
const actions: Readonly<Record<string, string>> = {
  "actions/cache v4.3.0": "0057852bfaa89a56745cba8c7296529d2fc39830",
  "actions/checkout v5.0.0": "08c6903cd8c0fde910a37f88322edcfb5dd907a8",
  "actions/download-artifact v5.0.0": "634f93cb2916e3fdff6788551b99b062d0335ce0",
  "actions/setup-node v5.0.0": "a0853c24544627f65ddf259abe73b1d18a591444",
  "actions/upload-artifact v4.6.2": "ea165f8d65b6e75b540449e92b4886f43607fa02",
  "docker/build-push-action v7.3.0": "53b7df96c91f9c12dcc8a07bcb9ccacbed38856a",
  "docker/login-action v4.1.0": "4907a6ddec9925e35a0a9e82d7399ccc52663121",
  "docker/setup-buildx-action v4.3.0": "37fe631027851001ddb9b187196cc803df7f5f0e",
  "pulumi/actions v7.0.0": "8e5e406f4007fca908480587cb9893c07090f58d",
};

test("every action of another repository has the commit of its release", () => {
  const found = globSync(["action.yml", "{ci-templates/github,.github/workflows}/*.yml"]).flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/uses: (?!\.)(\S+?)@(\S+)(?: # (\S+))?/g),
  ]);
  expect(found.length).toBeGreaterThan(10);
  for (const [, action, commit, release] of found)
    expect({ action, commit }).toEqual({ action, commit: actions[`${action} ${release}`] });
});

test("the action runs the released version of the checker", () => {
  const { version } = JSON.parse(readFileSync("hasura-checks/package.json", "utf8")) as { version: string };
  expect(readFileSync("action.yml", "utf8")).toContain(`default: hasura-checks@${version}\n`);
});

test("no source runs a script from the network", () => {
  const sources = globSync(
    ["{cli,offline,packages,infra,images,auth-sidecar,database}/**/*.{ts,mjs,sh}", "images/*/Dockerfile"],
    { exclude: (name) => name === "node_modules" || name.endsWith(".test.ts") },
  );
  expect(sources.length).toBeGreaterThan(300);
  const risky = /(?:curl|wget)\b[^\n]*\|\s*(?:ba)?sh\b|PulumiCommand\.install\(|install\.sh/;
  expect(sources.filter((file) => risky.test(readFileSync(file, "utf8")))).toEqual([]);
});

test("every npm package and Go module of the lock files has a hash", () => {
  for (const file of globSync(["package-lock.json", "offline/node/*/package-lock.json"])) {
    const { packages } = JSON.parse(readFileSync(file, "utf8")) as {
      packages: Record<string, { resolved?: string; link?: boolean; integrity?: string; inBundle?: boolean }>;
    };
    const without = Object.entries(packages).filter(
      ([, { resolved, link, integrity }]) =>
        resolved !== undefined && link !== true && !(integrity ?? "").startsWith("sha512-"),
    );
    expect(without.map(([name]) => name)).toEqual([]);
  }
  expect(readFileSync("offline/pulumi-cli/go.sum", "utf8")).toContain("github.com/pulumi/pulumi/pkg/v3 v3.");
});
