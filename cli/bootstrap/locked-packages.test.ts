import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { areInstalled, matchesManifest, productionPackages } from "./locked-packages.mjs";

interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly optional?: boolean;
  readonly link?: boolean;
}
type Packages = Readonly<Record<string, Locked>>;
const check = areInstalled as (packages: object, installed: object | undefined, paths?: Iterable<string>) => boolean;

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): unknown => JSON.parse(readFileSync(resolve(root, path), "utf8"));
const { packages: ofRepository } = read("package-lock.json") as { packages: Packages };

const packages: Packages = {
  "": { name: "x" },
  engine: { version: "0.1.0", dependencies: { a: "1.0.0" }, devDependencies: { tool: "1.0.0" } },
  cli: { version: "0.1.0", dependencies: { "@x/engine": "0.1.0", nested: "1.0.0" } },
  "node_modules/a": { version: "1.0.0" },
  "node_modules/b": { version: "2.0.0", optional: true },
  "node_modules/nested": { version: "1.0.0", dependencies: { a: "^2.0.0" }, optionalDependencies: { b: "2.0.0" } },
  "node_modules/nested/node_modules/a": { version: "2.0.0" },
  "node_modules/tool": { version: "1.0.0" },
  "node_modules/@x/engine": { link: true, resolved: "engine" },
  "node_modules/@x/cli": { link: true, resolved: "cli" },
};

test("a workspace needs the dependencies of its workspaces, without development dependencies", () => {
  expect([...productionPackages(packages, "@x/engine")]).toEqual(["node_modules/@x/engine", "node_modules/a"]);
  expect([...productionPackages(packages, "@x/cli")].toSorted()).toEqual(
    Object.keys(packages)
      .filter((path) => path.includes("node_modules/") && path !== "node_modules/tool")
      .toSorted(),
  );
});

test("finds every package of the lock file from a workspace that depends on it", () => {
  const whole = Object.fromEntries(
    Object.entries(ofRepository).map(([path, { devDependencies, ...locked }]) => [
      path,
      { ...locked, dependencies: { ...locked.dependencies, ...devDependencies } },
    ]),
  );
  const links = Object.keys(whole).filter((path) => whole[path]!.link === true);
  const top = { ...whole, "node_modules/top": { link: true, resolved: "" } };
  const names = [...links.map((path) => path.slice("node_modules/".length)), "top"];
  const found = new Set(names.flatMap((name) => [...productionPackages(top, name)]));
  const unfound = Object.keys(ofRepository).filter((path) => path.includes("node_modules/") && !found.has(path));
  expect(unfound.filter((path) => ofRepository[path]!.optional !== true)).toEqual([]);
});

test("the kit needs less than half of the packages, and no linter, console or test library", () => {
  const kit = productionPackages(ofRepository, "@routeql/cli");
  expect(kit.size).toBeLessThan(Object.keys(ofRepository).length / 2);
  for (const name of ["vitest", "oxlint", "monaco-editor", "testcontainers", "typescript"])
    expect(kit).not.toContain(`node_modules/${name}`);
});

test("the kit's packages include the libraries of the checker", () => {
  const { devDependencies } = read("hasura-checks/package.json") as Locked;
  // Only its tests start programs.
  const libraries = Object.keys(devDependencies ?? {}).filter(
    (name) => !name.startsWith("@types/") && name !== "execa",
  );
  expect([...productionPackages(ofRepository, "@routeql/cli")]).toEqual(
    expect.arrayContaining(libraries.map((name) => `node_modules/${name}`)),
  );
});

test("the lock file matches every package.json, and differs from one with another dependency", () => {
  for (const path of ["package.json", ...globSync("{*,packages/*}/package.json", { cwd: root })]) {
    const locked = ofRepository[path.replace(/\/?package\.json$/, "")]!;
    const manifest = read(path) as Locked;
    expect(matchesManifest(locked, manifest), path).toBe(true);
    expect(matchesManifest(locked, { ...manifest, dependencies: { ...manifest.dependencies, more: "1.0.0" } })).toBe(
      false,
    );
  }
});

const a = { version: "1.0.0" };
const some = {
  "": { name: "x" },
  engine: { version: "0.1.0" },
  "node_modules/a": a,
  "node_modules/b": { version: "2.0.0", optional: true },
  "node_modules/@x/engine": { link: true, resolved: "engine" },
};
const link = { link: true, resolved: "engine" };

test.each([
  ["everything", { "node_modules/a": a, "node_modules/b": { version: "2.0.0" }, "node_modules/@x/engine": link }, true],
  ["no optional package of another platform", { "node_modules/a": a, "node_modules/@x/engine": link }, true],
  ["more than the lock file has", { "node_modules/a": a, "node_modules/@x/engine": link, "node_modules/z": a }, true],
  ["another version", { "node_modules/a": { version: "1.0.1" }, "node_modules/@x/engine": link }, false],
  ["a package missing", { "node_modules/@x/engine": link }, false],
  [
    "a copy in place of a workspace link",
    { "node_modules/a": a, "node_modules/@x/engine": { version: "0.1.0" } },
    false,
  ],
])("with %s installed, areInstalled(%j) is %s", (_title, installed, expected) =>
  expect(check(some, { packages: installed })).toBe(expected),
);

test("a missing package counts only if it is wanted", () => {
  const installed = { packages: { "node_modules/@x/engine": link } };
  expect(check(some, installed, ["node_modules/@x/engine"])).toBe(true);
  expect(check(some, installed, ["node_modules/@x/engine", "node_modules/a"])).toBe(false);
});

test("without npm's record, nothing counts as installed", () => expect(check(some, undefined)).toBe(false));
