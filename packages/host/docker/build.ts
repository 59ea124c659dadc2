import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { Readable } from "node:stream";
import type { Work } from "../work.ts";
import { pack } from "tar-stream";
import { Failure } from "../failure.ts";
import { type ContextFile, contextFiles, copiedSources } from "./build-context.ts";
import { downloadSites, requireProxies } from "../reachable.ts";
import { dockerClient, type DaemonMessage, follow, orUndefined } from "./client.ts";

export interface BuildRequest {
  readonly imageName: string;
  /** Absolute path. */
  readonly dockerfile: string;
  /** Absolute path. */
  readonly context: string;
  readonly args: Readonly<Record<string, string>>;
}

export async function imageExists(name: string): Promise<boolean> {
  return (await orUndefined(dockerClient().getImage(name).inspect())) !== undefined;
}

/** Exactly the files that the Dockerfile copies, so that no other file reaches the image. */
function contextArchive(dockerfileName: string, dockerfileText: string, files: readonly ContextFile[]): Readable {
  const archive = pack();
  const mtime = new Date(0);
  archive.entry({ name: dockerfileName, mtime }, dockerfileText);
  for (const { path, content, executable } of files) {
    if (path !== dockerfileName)
      archive.entry({ name: path, mode: executable ? 0o755 : 0o644, mtime }, Buffer.from(content));
  }
  archive.finalize();
  return Readable.from(archive);
}

/** Builds one image with the classic builder on the network `host`, so that it reaches what this machine reaches. @throws Failure */
async function buildImage(
  { imageName, dockerfile, context, args }: BuildRequest,
  { onLine, signal }: Pick<Work, "onLine" | "signal">,
): Promise<void> {
  signal.throwIfAborted();
  await requireProxies(downloadSites.debian, downloadSites.npm);
  const docker = dockerClient();
  const text = readFileSync(dockerfile, "utf8");
  const name = relative(context, dockerfile);
  const authorities = extraAuthorities();
  const files = contextFiles(context, copiedSources(text));
  const own =
    authorities === undefined ? [] : [{ path: authoritiesFile, content: Buffer.from(authorities), executable: false }];
  const archive = contextArchive(name, authorities === undefined ? text : withAuthorities(text), [...files, ...own]);
  const stream = (await docker.buildImage(archive, {
    t: imageName,
    dockerfile: name,
    buildargs: { ...proxyArguments(), ...args },
    networkmode: "host",
    forcerm: true,
    abortSignal: signal,
  })) as Readable;
  const lines: string[] = [];
  const keep = ({ stream: output, status, error }: DaemonMessage): void => {
    for (const line of (output ?? error ?? status ?? "").split("\n").filter((entry) => entry.trim() !== "")) {
      lines.push(line);
      onLine(line);
    }
  };
  await follow(stream, keep).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Failure(`The image ${imageName} (${name}) could not be built`, {
      lastLines: lines.slice(-20),
      remedy:
        "a build step that downloads packages needs their registry: try the command of the failed step, then run this command again.",
      cause: error,
    });
  });
}

/** Builds the image unless its name, which contains the hash of its content, already exists. */
export async function ensureImage(
  request: BuildRequest,
  options: Pick<Work, "onLine" | "signal">,
): Promise<"built" | "present"> {
  if (await imageExists(request.imageName)) return "present";
  await buildImage(request, options);
  return "built";
}

const variables = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] as const;

/** Build arguments that Docker predefines: build steps receive them, and the image does not store them. */
export function proxyArguments(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(variables.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

export const authoritiesFile = ".routeql-authorities.crt";
const inImage = "/usr/local/share/ca-certificates/build-machine.crt";

/** The certificate authorities that are configured for Node and npm on this machine. */
export function extraAuthorities(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  // Node and npm ignore the name of a missing file.
  const named = [environment["NODE_EXTRA_CA_CERTS"], environment["npm_config_cafile"]];
  const file = named.find((path) => path && existsSync(path));
  return file ? readFileSync(file, "utf8") : undefined;
}

/** The Dockerfile with these authorities in each named stage; such stages install packages and are not in the final image. */
export function withAuthorities(dockerfile: string): string {
  return dockerfile.replaceAll(
    /^FROM \S+ AS \S+$/gm,
    (line) => `${line}\nCOPY ${authoritiesFile} ${inImage}\nENV NODE_EXTRA_CA_CERTS=${inImage}`,
  );
}
