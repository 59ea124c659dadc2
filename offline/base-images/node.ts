import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { cp, readFile, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { getCACertificates } from "node:tls";
import type { Work } from "@routeql/host/work";
import { type Pack, pack } from "tar-stream";
import { Failure, messageOf } from "@routeql/host/failure";
import { projectFolder } from "@routeql/host/paths";
import { run } from "@routeql/host/process";
import { downloadSites, requireProxies } from "@routeql/host/reachable";
import { proxyArguments } from "@routeql/host/docker/build";
import { dockerClient, follow } from "@routeql/host/docker/client";

/** Folder where the builds in the image look for additional certificate authorities. */
const certificatesInImage = "/usr/local/share/ca-certificates/build-machine.crt";

/** The certificate bundle of this machine, which may contain the authority of an intercepting proxy. macOS has no such file. */
async function trustedCertificates(): Promise<string | undefined> {
  for (const path of [
    process.env.NODE_EXTRA_CA_CERTS,
    process.env.SSL_CERT_FILE,
    "/etc/ssl/certs/ca-certificates.crt",
  ]) {
    const text = path ? await readFile(path, "utf8").catch(() => undefined) : undefined;
    if (text !== undefined) return text;
  }
  const authorities = getCACertificates("system");
  return authorities.length === 0 ? undefined : authorities.join("\n");
}

/** The registry that npm uses here, without its user and password. */
async function npmRegistry(): Promise<string> {
  const { stdout } = await run("npm", ["config", "get", "registry"], {
    environment: { ...process.env, npm_config_loglevel: "silent" },
  });
  const url = new URL(stdout.trim().split("\n").at(-1) ?? "");
  url.username = "";
  url.password = "";
  return url.href;
}

/** Architecture names of the Docker daemon and the kernel, with npm's names. */
const architectures: Readonly<Record<string, string>> = {
  x86_64: "x64",
  amd64: "x64",
  aarch64: "arm64",
  arm64: "arm64",
};

/** The platform of the images, the daemon's: on macOS it is Linux. @throws Failure for one without a Node 24 package */
export function imagePlatform(architecture: string): Platform {
  const cpu = architectures[architecture];
  if (cpu !== undefined) return { os: "linux", cpu };
  throw new Failure(`The Docker daemon runs on ${architecture}, which has no prebuilt Node`, {
    remedy: "set NODE_BASE to an image with Node 24 for this architecture.",
  });
}

/** Path of exactly the Node version in the image's name: the running one, else the pinned one from the npm registry. */
async function nodeProgram(version: string, onLine: (line: string) => void): Promise<string> {
  const { Architecture: architecture } = (await dockerClient().info()) as { Architecture: string };
  const platform = imagePlatform(architecture);
  const isHere = platform.os === process.platform && platform.cpu === process.arch;
  if (isHere && process.versions.node === version) return process.execPath;
  const folder = await installRecipe(
    "node",
    resolve(import.meta.dirname, "../node/node-runtime"),
    onLine,
    isHere ? undefined : platform,
  );
  return join(folder, `node_modules/node-${platform.os}-${platform.cpu}/bin/node`);
}

function addFile(archive: Pack, name: string, path: string, size: number, mode: number): Promise<void> {
  const entry = archive.entry({ name, size, mode, mtime: new Date(0) });
  return pipeline(createReadStream(path), entry as unknown as Writable);
}

async function addFolder(archive: Pack, name: string, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const { size, mode } = await stat(path);
    await addFile(archive, `${name}${path.slice(folder.length)}`, path, size, mode & 0o777);
  }
}

function dockerfile(debianBase: string, hasCertificates: boolean, registry: string): string {
  return [
    `FROM ${debianBase}`,
    "COPY node /usr/local/bin/node",
    "COPY npm /usr/local/lib/node_modules/npm",
    "RUN for name in npm npx; do ln -s ../lib/node_modules/npm/bin/$name-cli.js /usr/local/bin/$name; done",
    ...(hasCertificates
      ? [`COPY certificates.crt ${certificatesInImage}`, `ENV NODE_EXTRA_CA_CERTS=${certificatesInImage}`]
      : []),
    `ENV NPM_CONFIG_REGISTRY=${registry}`,
    'CMD ["node"]',
    "",
  ].join("\n");
}

/** Builds the build stage's image from this machine's Node and npm, where none can be pulled; only the node binary leaves it. */
export async function buildNodeBase(name: string, debianBase: string, { onLine, signal }: Work): Promise<void> {
  // Some distributions split npm into packages, so the npm of this machine may not work when copied.
  const recipe = resolve(import.meta.dirname, "../node/npm-runtime");
  const [certificates, npm, node, registry] = await Promise.all([
    trustedCertificates(),
    installRecipe("npm", recipe, onLine),
    nodeProgram(name.split(":")[1]!, onLine),
    npmRegistry(),
  ]);
  const archive = pack();
  const fill = async (): Promise<void> => {
    archive.entry({ name: "Dockerfile" }, dockerfile(debianBase, certificates !== undefined, registry));
    if (certificates !== undefined) archive.entry({ name: "certificates.crt" }, certificates);
    await addFile(archive, "node", node, (await stat(node)).size, 0o755);
    await addFolder(archive, "npm", join(npm, "node_modules/npm"));
    archive.finalize();
  };
  const docker = dockerClient();
  const filled = fill();
  const stream = await docker.buildImage(Readable.from(archive), {
    t: name,
    buildargs: proxyArguments(),
    networkmode: "host",
    forcerm: true,
    abortSignal: signal,
  });
  await filled;
  await follow(stream, ({ stream: output }) => {
    if (output?.trim()) onLine(output.trim());
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new Failure(`${name} could not be built: ${messageOf(error)}`, { cause: error });
  });
}

/** npm's names: `linux`, `arm64`. */
interface Platform {
  readonly os: string;
  readonly cpu: string;
}

/** Installs a folder's locked packages into `.tools/<name>-<hash>`, once per lock file. @param platform if it is not this machine's */
async function installRecipe(
  name: string,
  recipe: string,
  onLine: (line: string) => void,
  platform?: Platform,
): Promise<string> {
  const hash = createHash("sha256")
    .update(await readFile(join(recipe, "package-lock.json")))
    .digest("hex")
    .slice(0, 12);
  const suffix = platform === undefined ? "" : `-${platform.os}-${platform.cpu}`;
  const folder = join(projectFolder, ".tools", `${name}-${hash}${suffix}`);
  if (existsSync(join(folder, "node_modules"))) return folder;
  await requireProxies(downloadSites.npm);
  const unfinished = `${folder}.${process.pid}`;
  try {
    await cp(recipe, unfinished, { recursive: true });
    const wanted = platform === undefined ? [] : [`--os=${platform.os}`, `--cpu=${platform.cpu}`];
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...wanted], {
      workingDirectory: unfinished,
      onLine,
      remedy: "check that npm reaches its registry (npm ping).",
    });
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
