/**
 * @typedef {{ version?: string, optional?: boolean, link?: boolean, resolved?: string, dependencies?: Record<string, string>,
 *   optionalDependencies?: Record<string, string> }} Locked
 * @typedef {Record<string, Locked>} Packages by their paths, as in package-lock.json
 */

/** The workspace whose production dependencies run all commands of the kit. */
export const kit = "@routeql/cli";

/** Path of the package that an import of `name` in a file of the package `from` finds; undefined if there is none. */
function found(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === "") return undefined;
  }
}

/**
 * Paths of the packages that a workspace needs without its development dependencies, as `npm ci --omit=dev --workspace` installs them.
 * @param {Packages} packages
 * @param {string} workspace name of its package
 * @returns {ReadonlySet<string>}
 */
export function productionPackages(packages, workspace) {
  const paths = new Set([`node_modules/${workspace}`]);
  // A set also visits the paths that are added meanwhile.
  for (const path of paths) {
    const { link, resolved } = packages[path];
    const folder = link === true ? resolved : path;
    const { dependencies, optionalDependencies } = packages[folder];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const dependency = found(packages, folder, name);
      if (dependency !== undefined) paths.add(dependency);
    }
  }
  return paths;
}

/**
 * Whether npm has nothing to do: compares the lock file with the record that npm leaves in node_modules at the end of every install. An
 * interrupted `npm ci` leaves no record.
 * @param {Packages} packages
 * @param {{ packages: Packages } | undefined} installed
 * @param {Iterable<string>} paths the wanted packages; all by default
 * @returns {boolean}
 */
export function areInstalled(packages, installed, paths = Object.keys(packages)) {
  if (!installed) return false;
  return [...paths].every((path) => {
    if (!path.includes("node_modules/")) return true;
    const wanted = packages[path];
    const present = installed.packages[path];
    if (!present) return wanted.optional === true;
    return wanted.link
      ? present.link === true && present.resolved === wanted.resolved
      : present.version === wanted.version;
  });
}

const dependencyKinds = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/**
 * Whether the lock file has the dependencies that a package.json of this repository lists. `npm ci` checks this, `npm install` does not.
 * @param {Locked} locked
 * @param {Locked} manifest
 */
export function matchesManifest(locked, manifest) {
  const listed = (of) =>
    JSON.stringify(dependencyKinds.map((kind) => Object.entries(of[kind] ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))));
  return listed(locked) === listed(manifest);
}
