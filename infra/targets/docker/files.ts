import { createHash } from "node:crypto";
import { Container, Volume } from "@pulumi/docker";
import { all, type Input, interpolate, output, type Output, type Resource, unsecret } from "@pulumi/pulumi";
import { RandomId } from "@pulumi/random";
import { filesDirectory } from "../../description/service.ts";
import type { ServiceDescription } from "../../description/service.ts";
import { fileContents } from "../../services/file-contents.ts";
import type { Secrets } from "../../description/secrets.ts";
import { withProcessLimit } from "./process-limit.ts";
import { labels, replaceInPlace } from "./scope.ts";
import type { Scope } from "./scope.ts";
import { tried } from "./tried-files.ts";

export interface DeliveredFiles {
  readonly volumeName: Output<string>;
  /** Changes with each file or secret that the service reads only at its start. */
  readonly version: Output<string>;
  readonly carrier: Output<Container>;
}

/** The carrier never starts; the limit holds if an operator starts it. */
const carrierProcesses = 16;

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

/**
 * Another volume when a file is added or removed, so that no old file stays. Its name never returns: a volume with the name of a pending deletion in
 * the state would be deleted at the end of the update that created it.
 */
function filesVolume(service: ServiceDescription, paths: readonly string[], scope: Scope, parent: Resource): Volume {
  const name = `${service.name}-files`;
  const keepers = { files: sha256(JSON.stringify(paths)), state: scope.state ?? "" };
  const version = new RandomId(scope.named(`${name}-version`), { byteLength: 6, keepers }, { parent }).hex;
  return new Volume(
    scope.named(name),
    { name: interpolate`${scope.prefix}-${name}-${version}`, labels: labels(scope, service.name, { run: filesRun }) },
    { parent },
  );
}

/** Label of volumes with files, and of their carriers. */
const filesRun = "files";

const manifestPath = "files.sha256";

/** In the form of `sha256sum`, after a comment with the version of all files: the Docker provider delivers them in any order. */
export function manifestOf(contents: readonly (readonly [path: string, content: string])[]): string {
  const lines = contents.map(([path, content]) => `${sha256(content)}  ${path}\n`).join("");
  return `# ${sha256(lines)}\n${lines}`;
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
  const { liveFiles } = service;
  const manifestFor = (needed: (path: string) => boolean): Output<string> =>
    all(
      contents
        .filter(([path]) => needed(path))
        .map(([path, { content }]) => output(content).apply((text) => [path, text] as const)),
    ).apply(manifestOf);
  const accepted = tried(service, image, contents, scope);
  const manifest = liveFiles === undefined ? [] : ([[manifestPath, { content: manifestFor(() => true) }]] as const);
  const name = `${scope.prefix}-${service.name}-files`;
  const volume = filesVolume(
    service,
    contents.map(([path]) => path),
    scope,
    parent,
  );
  const carrier = new Container(
    scope.named(`${service.name}-files`),
    {
      name,
      image,
      user: `${service.user}:${service.user}`,
      labels: labels(scope, service.name, { run: filesRun }),
      networkMode: "none",
      volumes: [{ volumeName: volume.name, containerPath: filesDirectory }],
      uploads: [...contents, ...manifest].map(([path, { content }]) => ({
        file: `${filesDirectory}/${path}`,
        content: service.filesCheck === undefined ? content : all([content, accepted]).apply(([text]) => text),
        permissions: "0444",
      })),
      start: false,
      mustRun: false,
    },
    { parent, ...replaceInPlace },
  );
  const version =
    liveFiles === undefined ? carrier.id : unsecret(manifestFor((path) => !liveFiles.includes(path)).apply(sha256));
  return { volumeName: volume.name, version, carrier: withProcessLimit(carrier, carrierProcesses, false) };
}
