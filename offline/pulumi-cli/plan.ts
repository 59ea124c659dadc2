/** Sources of a Pulumi CLI, best first. */
export type CliSource =
  | { readonly kind: "path"; readonly version: string }
  | { readonly kind: "cache"; readonly version: string; readonly root: string }
  | { readonly kind: "download"; readonly version: string }
  | { readonly kind: "build"; readonly version: string };

/** Probes of the machine; each runs only when its answer is needed. */
export interface CliProbes {
  /** Version of the `pulumi` on PATH. */
  readonly onPath: () => Promise<string | undefined>;
  /** Folder with `bin/pulumi` of this version, if an earlier run left one that works. */
  readonly cached: (version: string) => Promise<string | undefined>;
  /** Whether Pulumi's own download site answers. */
  readonly downloadAnswers: () => Promise<boolean>;
}

/** The oldest CLI that is known to work with this project. */
export const minimumVersion = "3.256.0";
/** The version in go.mod; a module proxy may reject other versions. */
export const builtVersion = "3.256.0";

/** `v3.256.0-dev` → [3, 256, 0]; undefined for other text. */
export function parseVersion(text: string): [number, number, number] | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text.trim());
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

/** Same major version and not older. */
export function isUsable(version: string, minimum: string): boolean {
  const [have, want] = [parseVersion(version), parseVersion(minimum)];
  if (!have || !want || have[0] !== want[0]) return false;
  return have[1] !== want[1] ? have[1] > want[1] : have[2] >= want[2];
}

/** Order: PATH, cache, download, build from Go modules. */
export async function planCli(probes: CliProbes, downloadVersion: string): Promise<CliSource> {
  const onPath = await probes.onPath();
  if (onPath !== undefined && isUsable(onPath, minimumVersion)) return { kind: "path", version: onPath };
  for (const version of new Set([downloadVersion, builtVersion])) {
    const root = await probes.cached(version);
    if (root !== undefined) return { kind: "cache", version, root };
  }
  if (await probes.downloadAnswers()) return { kind: "download", version: downloadVersion };
  return { kind: "build", version: builtVersion };
}

/** Source of the `go` command for the build. */
export type GoSource = "path" | "toolchain-by-path" | "toolchain-by-package" | "none";

/**
 * The Go release for the build is a Go module itself, so any older Go can download it.
 * @param installed version of the `go` on PATH, `go1.19.8` or `1.19.8`
 */
export function planGo(installed: string | undefined, wanted: string, canInstallPackages: boolean): GoSource {
  const version = installed?.replace(/^go/, "");
  const full = version && /^\d+\.\d+$/.test(version) ? `${version}.0` : version;
  if (full && isUsable(full, wanted)) return "path";
  if (full && parseVersion(full)) return "toolchain-by-path";
  return canInstallPackages ? "toolchain-by-package" : "none";
}

/** Operating system and architecture in Pulumi's and Go's names: `linux-amd64`, `darwin-arm64`. */
export function goPlatform(platform: string = process.platform, architecture: string = process.arch): string {
  return `${platform}-${architecture === "x64" ? "amd64" : architecture}`;
}
