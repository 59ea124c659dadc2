import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { readPackages } from "../boundaries/packages.ts";
import { repository } from "../harness/repository.ts";

const packages = readPackages();

/** A package and the packages of this repository that it depends on, as folders. */
function withDependencies(name: string): readonly string[] {
  const found = packages.find((one) => one.name === name);
  return found === undefined ? [] : [...[...found.dependencies].flatMap(withDependencies), found.folder];
}

test.each(["gateway", "engine", "auth-sidecar", "database-tools", "apply-metadata"])(
  "the image %s copies the description of each package that it installs",
  (image) => {
    const dockerfile = readFileSync(resolve(repository, "images", image, "Dockerfile"), "utf8");
    const [, installed = ""] = /npm ci .*--workspace (\S+)/.exec(dockerfile) ?? [];
    const copied = [...dockerfile.matchAll(/^COPY (\S+)\/package\.json \1\/$/gm)].map(([, folder]) => folder);
    expect(copied).not.toEqual([]);
    expect(new Set(copied)).toEqual(new Set(withDependencies(installed)));
  },
);
