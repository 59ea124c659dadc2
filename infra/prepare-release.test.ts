import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { buildNumber } from "./build-number.ts";
import { archiveSources, checkVersions, imagesToBuild, notesOf } from "./prepare-release.ts";
import { release } from "./release.ts";

const root = resolve(import.meta.dirname, "..");

test("takes the notes of the version only", () => {
  const changelog = "# Changelog\n\n## 1.10.0 (2026-12-01)\n\n- new\n\n## 1.1.0\n\n### Added\n\n- old\n";
  expect(notesOf(changelog, "1.10.0")).toBe("- new");
  expect(notesOf(changelog, "1.1.0")).toBe("### Added\n\n- old");
  expect(() => notesOf(changelog, "1.1")).toThrow('no section "## 1.1"');
});

test("all packages have one version, and another tag is refused by name", () => {
  checkVersions(release.version);
  expect(() => checkVersions("99.0.0")).toThrow(/v99\.0\.0.*engine\/package\.json/);
});

test("builds every image of both engines once, from a Dockerfile that exists", () => {
  const images = imagesToBuild();
  expect(new Set(images.map(({ name }) => name)).size).toBe(images.length);
  for (const name of ["database", "engine", "front", "apply-metadata", "gateway", "monitoring", "feed"])
    expect(images.map((image) => image.name)).toContain(name);
  for (const { dockerfile, content, arguments: text } of images) {
    expect(existsSync(join(root, dockerfile)), dockerfile).toBe(true);
    expect(content).toMatch(/^routeql\/[a-z-]+:[0-9a-f]{12}$/);
    expect(text).toContain("_BASE=");
  }
});

test.skipIf(buildNumber() === undefined)("the source archive has the build number", () => {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  archiveSources("1.0.0", folder);
  const file = [
    "--extract",
    "--to-stdout",
    "--file",
    join(folder, "routeql-1.0.0-source.tgz"),
    "routeql-1.0.0/infra/build.json",
  ];
  expect(JSON.parse(execFileSync("tar", file, { encoding: "utf8" }))).toEqual({ build: buildNumber() });
  rmSync(folder, { recursive: true });
});

interface Workflow {
  readonly permissions: object;
  readonly jobs: Record<string, { readonly permissions?: object; readonly steps: { run?: string; with?: object }[] }>;
}

test("the workflow builds with SBOM and provenance, and puts no text of the event into a command", () => {
  const { permissions, jobs } = parse(readFileSync(join(root, ".github/workflows/release.yml"), "utf8")) as Workflow;
  expect(permissions).toEqual({ contents: "read" });
  expect(jobs["prepare"]?.permissions).toBeUndefined();
  expect(jobs["images"]?.steps.at(-1)?.with).toMatchObject({ push: true, sbom: true, provenance: "mode=max" });
  for (const { steps } of Object.values(jobs)) for (const { run } of steps) expect(run ?? "").not.toContain("${{");
});
