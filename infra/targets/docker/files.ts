import { createHash } from "node:crypto";
import { Container, Volume } from "@pulumi/docker";
import type { Input, Output, Resource } from "@pulumi/pulumi";
import { filesDirectory } from "../../services/description.ts";
import type { ServiceDescription } from "../../services/description.ts";
import { fileContents } from "../../services/file-contents.ts";
import type { Secrets } from "../../services/secrets.ts";
import { labels, replaceInPlace } from "./scope.ts";
import type { Scope } from "./scope.ts";

export interface DeliveredFiles {
  /** The files volume. */
  readonly volumeName: Output<string>;
  /** Changes with each file or secret. */
  readonly version: Output<string>;
}

/** Changes when a file is added or removed: then the volume is replaced, so that no old file stays. */
function namesHash(paths: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(paths)).digest("hex").slice(0, 12);
}

/** Writes a service's files and secrets to its own volume, through a container that never runs (README.md explains why). */
export function deliverFiles(
  service: ServiceDescription,
  image: Input<string>,
  secrets: Secrets,
  scope: Scope,
  parent: Resource,
): DeliveredFiles | undefined {
  const contents = [...fileContents(service, secrets)].sort(([left], [right]) => (left < right ? -1 : 1));
  if (contents.length === 0) return undefined;
  const name = `${scope.prefix}-${service.name}-files`;
  const volume = new Volume(
    scope.named(`${service.name}-files`),
    { name, labels: labels(scope, service.name, { "file-names": namesHash(contents.map(([path]) => path)) }) },
    { parent, ...replaceInPlace },
  );
  const carrier = new Container(
    scope.named(`${service.name}-files`),
    {
      name,
      image,
      user: `${service.user}:${service.user}`,
      labels: labels(scope, service.name, { run: "files" }),
      networkMode: "none",
      volumes: [{ volumeName: volume.name, containerPath: filesDirectory }],
      uploads: contents.map(([path, { content }]) => ({
        file: `${filesDirectory}/${path}`,
        content,
        permissions: "0444",
      })),
      start: false,
      mustRun: false,
    },
    { parent, ...replaceInPlace },
  );
  return { volumeName: volume.name, version: carrier.id };
}
