import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Work } from "@routeql/host/work";
import { cacheFolder } from "@routeql/host/paths";
import { run } from "@routeql/host/process";
import { withLock } from "@routeql/host/process-lock";
import { ensureGo, goBuild, goEnvironment } from "@routeql/offline/pulumi-cli/go";

/** Version that every program reports; go.mod names the same. */
const kubernetesVersion = "1.34.10";

const [major, minor] = kubernetesVersion.split(".");
const versionFlags = [
  `k8s.io/component-base/version.gitVersion=v${kubernetesVersion}`,
  `k8s.io/component-base/version.gitMajor=${major}`,
  `k8s.io/component-base/version.gitMinor=${minor}`,
  "k8s.io/component-base/version.gitTreeState=clean",
].map((value) => `-X ${value}`);

const parts = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kube-proxy", "kubectl"];

const recipe = {
  linkerFlags: ["-s -w", ...versionFlags].join(" "),
  // Go names a program after the last element of its path that is not a version: etcd's becomes `server`.
  packages: [
    "go.etcd.io/etcd/server/v3",
    ...parts.map((part) => `k8s.io/kubernetes/cmd/${part}`),
    "./pause",
    "./coredns",
  ],
};

const modulesFolder = join(import.meta.dirname, "modules");

async function recipeHash(): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(recipe));
  const entries = await readdir(join(modulesFolder, "kubernetes"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name));
  for (const file of files.toSorted()) hash.update(await readFile(file));
  return hash.digest("hex").slice(0, 12);
}

/** Every program of a Kubernetes node, built from Go modules once per content (minutes on 2 cores), for all checkouts of the user. */
export async function kubernetesBinaries(options: Omit<Work, "show">): Promise<string> {
  const folder = join(cacheFolder(), "kubernetes", await recipeHash());
  if (existsSync(folder)) return folder;
  return withLock(`${folder}.lock`, "a run that builds Kubernetes", options.say, async () => {
    if (existsSync(folder)) return folder;
    options.say(`building Kubernetes ${kubernetesVersion} from Go modules, once; this takes minutes`);
    const go = await ensureGo(options);
    const unfinished = `${folder}.unfinished`;
    await mkdir(unfinished, { recursive: true });
    await build(go, unfinished, options);
    await rename(join(unfinished, "server"), join(unfinished, "etcd"));
    await rename(unfinished, folder);
    return folder;
  });
}

async function build(go: string, folder: string, options: Omit<Work, "show">): Promise<void> {
  await run(
    "nice",
    ["-n", "19", go, ...goBuild, "-ldflags", recipe.linkerFlags, "-o", `${folder}/`, ...recipe.packages],
    {
      environment: goEnvironment(process.env),
      workingDirectory: join(modulesFolder, "kubernetes"),
      onLine: options.onLine,
      signal: options.signal,
      interruptWith: "SIGINT",
      remedy:
        "the Go module proxy (GOPROXY) must be reachable and 6 GB of disk free; then run this again: it resumes the build.",
    },
  );
}

/** Folders of the modules with the published resource definitions (CRDs), by the last element of their path (`cert-manager`). */
export async function definitionModules(options: Omit<Work, "show">): Promise<ReadonlyMap<string, string>> {
  const go = await ensureGo(options);
  const { stdout } = await run(go, ["mod", "download", "-json"], {
    environment: goEnvironment(process.env),
    workingDirectory: join(modulesFolder, "definitions"),
    signal: options.signal,
    interruptWith: "SIGINT",
    remedy: "the Go module proxy (GOPROXY) must be reachable.",
  });
  const modules = JSON.parse(`[${stdout.trim().replaceAll(/\}\s*\{/g, "},{")}]`) as { Path: string; Dir: string }[];
  return new Map(modules.map(({ Path: path, Dir: folder }) => [path.split("/").at(-1)!, folder]));
}
