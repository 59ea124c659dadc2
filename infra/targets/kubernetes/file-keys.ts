/**
 * Keys of a ConfigMap or Secret for paths of files: a key takes letters, digits, `-`, `_` and `.`, and no folder.
 * @returns paths by key
 * @throws if a path cannot be told from another, or cannot be a key at all
 */
export function pathsByKey(paths: readonly string[]): ReadonlyMap<string, string> {
  const byKey = new Map<string, string>();
  for (const path of paths) {
    const key = path.replaceAll("/", "..");
    if (!/^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/.test(key)) throw new Error(`The file ${path} cannot be in a ConfigMap or Secret.`);
    const other = byKey.get(key);
    if (other !== undefined) throw new Error(`The files ${other} and ${path} have the same key in a ConfigMap: ${key}.`);
    byKey.set(key, path);
  }
  return byKey;
}
