import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { posix, relative, resolve, sep } from "node:path";
import { repository } from "../harness/repository.ts";
import { productOf, proof } from "./products.ts";
import { runsUp } from "./rooms.ts";

/** A workspace package: its folder in the repository, and the packages of this repository that its package.json lists. */
export interface Package {
  readonly name: string;
  readonly folder: string;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
  /** Whether the package is published as one program that contains the packages of its devDependencies. */
  readonly published: boolean;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(resolve(repository, folder, "package.json"), "utf8")) as Manifest;

export function readPackages(): readonly Package[] {
  return (manifest(".").workspaces ?? []).map((folder) => {
    const { name, private: kept, dependencies = {}, devDependencies = {} } = manifest(folder);
    return {
      name,
      folder,
      dependencies: new Set(Object.keys(dependencies)),
      devDependencies: new Set(Object.keys(devDependencies)),
      published: kept !== true,
    };
  });
}

/** Whether a package depends on another one, directly or indirectly. */
function dependsOn(packages: readonly Package[], from: Package, on: string, seen = new Set<string>()): boolean {
  if (seen.has(from.name)) return false;
  seen.add(from.name);
  const used = (name: string): boolean =>
    from.dependencies.has(name) || (from.published && from.devDependencies.has(name));
  return used(on) || packages.some((other) => used(other.name) && dependsOn(packages, other, on, seen));
}

export const isTest = (path: string): boolean => /^tests\/|\.test\.tsx?$|\/testing\//.test(path);

/**
 * The violated rule as a sentence; undefined without a violation.
 * @param file absolute path of the importing file
 */
export function brokenRule(packages: readonly Package[], file: string, specifier: string): string | undefined {
  const path = relative(repository, file).split(sep).join("/");
  const own = packages.find(({ folder }) => path.startsWith(`${folder}/`));
  if (own === undefined) return undefined;
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(path), specifier);
    if (!target.startsWith(`${own.folder}/`))
      return `${specifier} leaves the package ${own.name}. Import ${target} by the name of its package and list it in that package's exports.`;
    return brokenRoomRule(own, path, target);
  }
  const named = packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (named === undefined) return unlistedLibrary(packages, own, path, specifier);
  const listed =
    own.dependencies.has(named.name) || ((own.published || isTest(path)) && own.devDependencies.has(named.name));
  if (named !== own && !listed)
    return `${own.folder}/package.json does not list ${named.name}. Add it to the dependencies if ${own.folder} may depend on ${named.folder}.`;
  if (dependsOn(packages, named, own.name))
    return `${named.name} already depends on ${own.name}: the import creates a cycle of packages.`;
  return brokenProductRule(path, named, specifier);
}

/** Inside a package, imports run down (rooms.ts). Tests beside the code may use everything of their package. */
function brokenRoomRule({ folder }: Package, path: string, target: string): string | undefined {
  const [from, to] = [posix.relative(folder, path), posix.relative(folder, target)];
  return !/\.test\.tsx?$|\/testing\//.test(path) && runsUp(folder, from, to)
    ? `${path} lies below ${target} (tests/boundaries/rooms.ts). Move the code that both need into a folder below both.`
    : undefined;
}

/** A user's `npm run up` installs only the dependencies of the command and of the packages that it depends on. */
function unlistedLibrary(
  packages: readonly Package[],
  own: Package,
  path: string,
  specifier: string,
): string | undefined {
  const command = packages.find(({ name }) => name === "@routeql/cli");
  if (command === undefined || own.published || isTest(path) || isBuiltin(specifier)) return undefined;
  if (own !== command && !dependsOn(packages, command, own.name)) return undefined;
  const library = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  return own.dependencies.has(library)
    ? undefined
    : `${library} is not in the dependencies of ${own.folder}/package.json, so \`npm run up\` does not install it.`;
}

/** Products import only products below them (products.ts); tests beside the code have no exception. */
function brokenProductRule(path: string, named: Package, specifier: string): string | undefined {
  const [own, other] = [productOf(path), productOf(named.folder)];
  if (own === undefined || other === undefined || own === other) return undefined;
  if (!own.mayImport.includes(other))
    return `The ${own.name} may not import the ${other.name}. Move the code that both need to packages/.`;
  if (own === proof) return undefined;
  if (other.interface !== undefined && specifier !== other.interface)
    return `${other.folders.join(", ")} has one interface: import ${other.interface} instead of ${specifier}.`;
  return specifier.includes("/testing/") && !isTest(path)
    ? `${specifier} is for tests only. Export what the code needs under another name.`
    : undefined;
}
