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

/** Operating system and architecture in Pulumi's and Go's names: `linux-amd64`, `darwin-arm64`. */
export function goPlatform(platform: string = process.platform, architecture: string = process.arch): string {
  return `${platform}-${architecture === "x64" ? "amd64" : architecture}`;
}
