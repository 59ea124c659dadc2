import { createRequire } from "node:module";

/** Version of the official plugin, which is the version of its npm package. Pulumi requires it of the replacement too. */
export function officialVersion(name: string): string {
  return (createRequire(import.meta.url)(`@pulumi/${name}/package.json`) as { version: string }).version;
}
