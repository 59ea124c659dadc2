/** Packs the component for other programs (`npm run pack -- FOLDER`), as JavaScript: Node strips no types below node_modules. */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { contextFiles, copiedSources } from "@routeql/host/docker/build-context";
// oxlint-disable-next-line packages/imports -- `npm run pack` installs all packages
import { build } from "vite";
import { buildFile, buildNumber } from "./build-number.ts";
import infraPackage from "./package.json" with { type: "json" };

const root = resolve(import.meta.dirname, "..");

/** Files that the component reads beside the sources of the images. */
const readAtRuntime = [".dockerignore", "images/*/Dockerfile", "hasura-metadata/**/*.{yaml,graphql}"].concat([
  "nginx/configuration/**/*.{conf,sh}",
  "nginx/metrics/*.{conf,js}",
  "infra/monitoring/*.{yml,json}",
  "infra/services/*.sh",
]);

function copySources(folder: string): void {
  const dockerfiles = globSync("images/*/Dockerfile", { cwd: root });
  const copied = dockerfiles.flatMap((path) => copiedSources(readFileSync(join(root, path), "utf8")));
  const paths = contextFiles(root, copied).map(({ path }) => path);
  for (const path of [...paths, ...globSync(readAtRuntime, { cwd: root })])
    cpSync(join(root, path), join(folder, path));
}

/** Builds index.js and plugin.js, and returns the packages that they import. */
async function bundle(folder: string): Promise<readonly string[]> {
  const built = await build({
    root,
    configFile: false,
    logLevel: "warn",
    ssr: { external: true, noExternal: [/^@routeql\//, /^hasura-checks/] },
    plugins: [
      {
        name: "folders-of-the-sources",
        transform: (code, id) =>
          code
            .replaceAll(
              "import.meta.dirname",
              `(import.meta.dirname + ${JSON.stringify(`/${relative(root, dirname(id))}`)})`,
            )
            .replaceAll(
              "import.meta.url",
              `new URL(${JSON.stringify(`./${relative(root, id)}`)}, import.meta.url).href`,
            ),
      },
    ],
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: "node24",
      rollupOptions: {
        input: { index: join(root, "infra/components/routeql.ts"), plugin: join(root, "infra/routeql/main.ts") },
        output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", format: "es" },
      },
    },
  });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  const imports = outputs.flatMap((one) => (one.type === "chunk" ? one.imports : []));
  const names = imports.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]);
  const files = new Set(outputs.map(({ fileName }) => fileName));
  return [...new Set(names)].filter((name) => !name.startsWith("node:") && !files.has(name)).toSorted();
}

interface PackageDescription {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, string>>;
}

const describedBy = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8")) as PackageDescription;

/** The files of the modules that this project's packages export. TypeScript writes no types for modules that it finds in node_modules. */
const ownModules = (): Record<string, string> =>
  Object.fromEntries(
    globSync("{*,packages/*}/package.json", { cwd: root }).flatMap((path) => {
      const { name, exports = {} } = describedBy(path);
      return Object.entries(exports).map(([module, file]) => [name + module.slice(1), join(root, dirname(path), file)]);
    }),
  );

/** Writes the types of the component, below `folder` as in the sources. */
function writeTypes(folder: string): void {
  mkdirSync(folder);
  const modules = ownModules();
  const configuration = join(folder, "tsconfig.json");
  const written = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: root,
      outDir: folder,
      typeRoots: [join(root, "node_modules/@types")],
      paths: Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, [file]])),
    },
    files: [join(root, "infra/components/routeql.ts")],
    include: [],
  };
  writeFileSync(configuration, JSON.stringify(written));
  execFileSync(join(root, "node_modules/.bin/tsc"), ["--project", configuration], { stdio: "inherit" });
  rmSync(configuration);
  for (const path of globSync("**/*.d.ts", { cwd: folder })) {
    const file = join(folder, path);
    const text = readFileSync(file, "utf8").replaceAll(/"(@routeql\/[^"]+|\.[^"]*\.ts)"/g, (_, name: string) => {
      const own = modules[name];
      const target = own === undefined ? name : `./${relative(dirname(join(root, path)), own)}`;
      return JSON.stringify(target.replace(/\.ts$/, ".js"));
    });
    writeFileSync(file, text);
  }
}

/** Exact versions, but for Pulumi's own packages: a program and the component must share one copy. */
function versionOf(name: string): string {
  const { version } = describedBy(`node_modules/${name}/package.json`);
  return name.startsWith("@pulumi/") ? `^${version}` : version;
}

export async function packComponent(destination: string): Promise<void> {
  const stage = mkdtempSync(join(tmpdir(), "routeql-pack-"));
  // Below a folder npm keeps package-lock.json, which the builds of the images read.
  const folder = join(stage, "kit");
  try {
    mkdirSync(folder);
    copySources(folder);
    const build = buildNumber();
    if (build !== undefined) writeFileSync(join(folder, buildFile), JSON.stringify({ build }));
    const dependencies = Object.fromEntries((await bundle(folder)).map((name) => [name, versionOf(name)]));
    // Apart from the sources, which TypeScript would otherwise prefer.
    writeTypes(join(stage, "types"));
    for (const name of ["README.md", "PulumiPlugin.yaml", "pulumi-resource-routeql"])
      cpSync(join(root, "infra/routeql", name), join(stage, name));
    cpSync(join(root, "LICENSE"), join(stage, "LICENSE"));
    const { version, license, type, engines } = infraPackage;
    const entry = { types: "./types/infra/components/routeql.d.ts", default: "./kit/index.js" };
    const described = {
      // Without a scope: Pulumi's CLI takes the text after an @ in a path as a version.
      name: "pulumi-routeql",
      version,
      description: "RouteQL as a Pulumi component",
      license,
      type,
      engines,
      exports: { ".": entry },
      // Pulumi starts the plugin by `main`.
      main: "./kit/plugin.js",
      dependencies,
    };
    writeFileSync(join(stage, "package.json"), JSON.stringify(described, undefined, 2));
    mkdirSync(destination, { recursive: true });
    execFileSync("npm", ["pack", "--silent", stage, "--pack-destination", resolve(destination)], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  } finally {
    rmSync(stage, { recursive: true });
  }
}

if (import.meta.main) await packComponent(process.argv[2] ?? ".");
