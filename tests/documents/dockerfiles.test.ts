import { globSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { contextFiles, copiedSources } from "@routeql/host/docker/build-context";
import { describe, expect, test } from "vitest";
import { readPackages } from "../boundaries/packages.ts";
import { repository } from "../harness/repository.ts";

const packages = readPackages();

/** A package and the packages of this repository that it depends on, as folders. */
function withDependencies(name: string): readonly string[] {
  const found = packages.find((one) => one.name === name);
  return found === undefined ? [] : [...[...found.dependencies].flatMap(withDependencies), found.folder];
}

const dockerfiles = globSync("images/*/Dockerfile", { cwd: repository })
  .toSorted()
  .map((path) => ({ image: dirname(path), text: readFileSync(resolve(repository, path), "utf8") }));

describe.each(dockerfiles)("$image", ({ text }) => {
  test("copies nothing that .dockerignore excludes", () => {
    const excluded = copiedSources(text).filter((source) => contextFiles(repository, [source]).length === 0);
    expect(excluded).toEqual([]);
  });
});

test.each(dockerfiles.filter(({ text }) => /npm ci .*--workspace/.test(text)))(
  "$image copies the description of each package that it installs",
  ({ text }) => {
    const [, installed = ""] = /npm ci .*--workspace (\S+)/.exec(text) ?? [];
    const copied = [...text.matchAll(/^COPY (\S+)\/package\.json \1\/$/gm)].map(([, folder]) => folder);
    expect(copied).not.toEqual([]);
    expect(new Set(copied)).toEqual(new Set(withDependencies(installed)));
  },
);
