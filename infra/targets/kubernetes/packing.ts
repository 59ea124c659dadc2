/** Maximum bytes of files in one ConfigMap or Secret: Kubernetes accepts 1 MiB with the keys. */
export const packBytes = 900_000;

/** Assumed size of a file that is known only during the deployment: a certificate with its chain. */
const unknownBytes = 64 * 1024;

/**
 * Divides files into packs that each fit into one ConfigMap, in the given order.
 * @param files contents by path; undefined for unknown content
 * @returns paths of each pack
 * @throws for a single file that is too large
 */
export function pack(files: ReadonlyMap<string, string | undefined>): readonly (readonly string[])[] {
  const packs: string[][] = [];
  let room = 0;
  for (const [path, content] of files) {
    const bytes = content === undefined ? unknownBytes : Buffer.byteLength(content);
    if (bytes > packBytes) throw new Error(`The file ${path} has ${bytes} bytes; a ConfigMap takes ${packBytes}.`);
    if (packs.length === 0 || bytes > room) {
      packs.push([]);
      room = packBytes;
    }
    packs.at(-1)?.push(path);
    room -= bytes;
  }
  return packs;
}
