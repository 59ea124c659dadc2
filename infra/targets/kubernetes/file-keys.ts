/**
 * ConfigMap or Secret keys for file paths: a key may contain letters, digits, `-`, `_` and `.`, but no folder.
 * @returns paths by key
 * @throws for two paths with the same key, or a path without a valid key
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
