/** Operating system and architecture as Pulumi and Go name them: `linux-amd64`, `darwin-arm64`. */
export function goPlatform(platform: string = process.platform, architecture: string = process.arch): string {
  return `${platform}-${architecture === "x64" ? "amd64" : architecture}`;
}
