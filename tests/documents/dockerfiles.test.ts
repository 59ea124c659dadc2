import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
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

test("secrets and dumps beside the sources reach no image and no package", () => {
  const root = mkdtempSync(join(tmpdir(), "routeql-context-"));
  try {
    cpSync(join(repository, ".dockerignore"), join(root, ".dockerignore"));
    const left =
      "src/.env src/.env.local key.pem tls.key id_rsa .git/config database.dump rows.sql.gz b.tar a.tgz a.log .a.ts.swp";
    for (const path of ["src/a.ts", "a.sql", ...left.split(" ")]) {
      mkdirSync(dirname(join(root, "engine", path)), { recursive: true });
      writeFileSync(join(root, "engine", path), "");
    }
    const paths = contextFiles(root, ["engine"]).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["engine/a.sql", "engine/src/a.ts"]);
  } finally {
    rmSync(root, { recursive: true });
  }
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

/** The instructions of each stage, with joined lines. */
function stagesOf(text: string): readonly (readonly string[])[] {
  const stages: string[][] = [];
  for (const line of text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n")) {
    if (line.startsWith("FROM ")) stages.push([]);
    stages.at(-1)?.push(line.trim());
  }
  return stages;
}

/** Modes of `chmod -R a+rX` and of `chmod <octal>`, by the paths that they name. */
const chmods = (stage: readonly string[]): readonly string[] =>
  stage
    .filter((line) => line.startsWith("RUN "))
    .flatMap((line) => line.split("&&"))
    .flatMap((command) => /chmod (?:-R a\+rX|755|644) (.*)/.exec(command)?.[1]?.trim().split(/\s+/) ?? []);

describe.each(dockerfiles)("$image of a checkout with umask 077", ({ text }) => {
  const stages = stagesOf(text);

  test("gives each file that its last stage copies from the checkout a mode of its own", () => {
    const last = stages.at(-1) ?? [];
    const copied = last.filter((line) => /^COPY (?!--from)/.test(line)).map((line) => line.split(/\s+/).at(-1));
    expect(copied.filter((path) => !chmods(last).includes(path ?? ""))).toEqual([]);
  });

  test("makes each folder readable that it hands on to its last stage", () => {
    const build = stages.slice(0, -1).flat();
    const folders = build
      .filter((line) => /^COPY (?!--from)/.test(line) && !/package\.json|tsconfig\.json/.test(line))
      .map((line) => line.split(/\s+/).at(-1) ?? "");
    const readable = chmods(build);
    expect(
      folders.filter(
        (folder) => !readable.some((path) => `${folder}/`.startsWith(`${path}/`) || path === `${folder}/dist`),
      ),
    ).toEqual([]);
  });
});
