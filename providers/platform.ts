/** Operating system and architecture in Pulumi's and Go's names: `linux-amd64`, `darwin-arm64`. */
export function goPlatform(platform: string = process.platform, architecture: string = process.arch): string {
  return `${platform}-${architecture === "x64" ? "amd64" : architecture}`;
}
