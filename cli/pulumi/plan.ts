import { isUsable } from "@routeql/host/versions";

/** Sources of a Pulumi CLI, best first. */
export type CliSource =
  | { readonly kind: "path"; readonly version: string }
  | { readonly kind: "cache"; readonly version: string; readonly root: string }
  | { readonly kind: "build"; readonly version: string }
  | { readonly kind: "none" };

/** Probes of the machine; each runs only when its answer is needed. */
export interface CliProbes {
  /** Version of the `pulumi` on PATH. */
  readonly onPath: () => Promise<string | undefined>;
  /** Folder with `bin/pulumi` of this version, if an earlier run left one that works. */
  readonly cached: (version: string) => Promise<string | undefined>;
}

/** The oldest CLI that is known to work with this project. */
export const minimumVersion = "3.256.0";

/**
 * Order: PATH, cache, build from Go modules, whose hashes are in go.sum. Pulumi's installer is a script without a published checksum, so
 * it is never run; an earlier version may have left its CLI in the cache.
 * @param builtVersion version that this checkout can build; undefined if it cannot
 */
export async function planCli(
  probes: CliProbes,
  sdkVersion: string,
  builtVersion: string | undefined,
): Promise<CliSource> {
  const onPath = await probes.onPath();
  if (onPath !== undefined && isUsable(onPath, minimumVersion)) return { kind: "path", version: onPath };
  for (const version of new Set([sdkVersion, builtVersion])) {
    if (version === undefined) continue;
    const root = await probes.cached(version);
    if (root !== undefined) return { kind: "cache", version, root };
  }
  return builtVersion === undefined ? { kind: "none" } : { kind: "build", version: builtVersion };
}
