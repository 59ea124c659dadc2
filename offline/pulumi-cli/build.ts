import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Work } from "@routeql/host/work";
import { run } from "@routeql/host/process";
import { downloadSites, requireProxies } from "@routeql/host/reachable";
import { ensureGo, goBuild, goEnvironment } from "./go.ts";

/** Number of packages that a build with an empty cache compiles, including Go's own. */
const packages = "about 930";

/** Builds the CLI of the adjacent go.mod and go.sum into `<root>/bin/pulumi`. */
export async function buildCli(root: string, version: string, options: Work): Promise<void> {
  await requireProxies(downloadSites.go);
  const go = await ensureGo(options);
  await mkdir(join(root, "bin"), { recursive: true });
  const folder = join(root, `build.${process.pid}`);
  await mkdir(folder);
  let downloads = 0;
  let compiled = 0;
  const show = (line: string): void => {
    options.onLine(line);
    if (line.startsWith("go: downloading")) downloads++;
    else if (/^[a-z0-9.-]+(\/|$)/.test(line)) compiled++;
    options.show(`building: ${downloads} modules fetched, ${compiled} of ${packages} packages compiled`);
  };
  const runGo = (...args: readonly string[]): ReturnType<typeof run> =>
    run(go, args, {
      environment: goEnvironment(process.env),
      workingDirectory: folder,
      onLine: show,
      signal: options.signal,
      interruptWith: "SIGINT",
      remedy:
        "the Go module proxy (GOPROXY) must be reachable and 3 GB of disk free; then run this again: it resumes the build.",
    });
  try {
    await leaveOut(folder, runGo);
    const flags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
    await runGo(
      ...goBuild,
      "-tags",
      "osusergo,grpcnotrace",
      "-ldflags",
      flags,
      "-o",
      "pulumi",
      "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    );
    await rename(join(folder, "pulumi"), join(root, "bin/pulumi"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface LeftOut {
  /** Folder below the module. */
  readonly package: string;
  /** Removed files; without a list the whole package is removed. */
  readonly files?: readonly string[];
  /** Replacement files in left-out/. */
  readonly by: string;
}

/**
 * The built CLI is smaller: it has no access to Pulumi Cloud, no states in object stores and databases, no keys and logs of cloud providers,
 * and no helpers for people at a terminal. A stack of this project keeps its state in a folder with a passphrase and uses none of these.
 * Compiling them takes more than half of the processor time, and some come with modules of hundreds of megabytes.
 */
const modules: Readonly<Record<string, readonly LeftOut[]>> = {
  "github.com/pulumi/pulumi/pkg/v3": [
    { package: "cmd/pulumi/cloud", by: "api-command.go" },
    { package: "cmd/pulumi/neo", by: "neo-command.go" },
    { package: "cmd/pulumi/do", by: "do-command.go" },
    { package: "cmd/pulumi/trace", by: "trace-commands.go" },
    {
      package: "operations",
      files: ["operations_aws.go", "operations_cloud_aws.go", "operations_gcp.go"],
      by: "provider-logs.go",
    },
    { package: "secrets/cloud", by: "key-services.go" },
    { package: "authhelpers", by: "google-credentials.go" },
    { package: "backend/diy/postgres", by: "state-in-postgres.go" },
  ],
  "gocloud.dev": [
    { package: "blob/azureblob", by: "state-in-azureblob.go" },
    { package: "blob/gcsblob", by: "state-in-gcsblob.go" },
    { package: "blob/s3blob", by: "state-in-s3blob.go" },
    { package: "internal/retry", by: "interrupted-retries.go" },
  ],
  "github.com/aws/aws-sdk-go-v2/service/s3": [{ package: ".", by: "s3-client.go" }],
  "google.golang.org/grpc": [{ package: "reflection", by: "service-reflection.go" }],
  "go.opentelemetry.io/auto/sdk": [{ package: ".", by: "tracing-hook.go" }],
  "github.com/alecthomas/chroma": [{ package: "quick", by: "highlighting.go" }],
  "github.com/alecthomas/chroma/v2": [{ package: "quick", by: "highlighting.go" }],
  "github.com/ccojocar/zxcvbn-go": [{ package: ".", by: "password-strength.go" }],
  "github.com/nbutton23/zxcvbn-go": [{ package: ".", by: "password-strength.go" }],
  "github.com/git-pkgs/manifests": [{ package: ".", by: "lock-files.go" }],
  "github.com/ProtonMail/go-crypto": [{ package: "openpgp", by: "commit-signatures.go" }],
  "github.com/microcosm-cc/bluemonday": [{ package: ".", by: "html-policy.go" }],
  "github.com/spf13/cobra": [{ package: "doc", by: "command-pages.go" }],
};

type RunGo = (...args: readonly string[]) => ReturnType<typeof run>;

/** Creates a folder with go.mod, go.sum and patched copies that replace the affected modules. @param go runs Go in that folder */
async function leaveOut(folder: string, go: RunGo): Promise<void> {
  for (const name of ["go.mod", "go.sum"]) await copyFile(join(import.meta.dirname, name), join(folder, name));
  // Verified against go.sum, as in the build itself.
  const { stdout } = await go("mod", "download", "-json", ...Object.keys(modules));
  for (const { Path: path, Dir: source } of JSON.parse(`[${stdout.trim().replaceAll(/^\}\s*\{/gm, "},{")}]`) as {
    Path: string;
    Dir: string;
  }[]) {
    const copy = join(folder, "modules", path);
    await copyModule(path, source, copy);
    for (const cut of modules[path] ?? []) await replaceFiles(join(copy, cut.package), cut);
    await go("mod", "edit", `-replace=${path}=${copy}`);
  }
}

/** Tests and their data are not needed. The module cache is read-only, so its file modes are not copied. */
async function copyModule(module: string, source: string, target: string): Promise<void> {
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(source.length + 1);
    if (!entry.isFile() || entry.name.endsWith("_test.go") || path.split("/").includes("testdata")) continue;
    await mkdir(dirname(join(target, path)), { recursive: true });
    await copyFile(join(source, path), join(target, path));
  }
  // A folder that replaces a module needs this file, which modules older than Go's module format lack.
  if (!existsSync(join(target, "go.mod"))) await writeFile(join(target, "go.mod"), `module ${module}\n`);
}

async function replaceFiles(folder: string, { files, by }: LeftOut): Promise<void> {
  const going = files ?? (await readdir(folder)).filter((name) => name.endsWith(".go"));
  for (const name of going) await rm(join(folder, name));
  await copyFile(join(import.meta.dirname, "left-out", by), join(folder, by));
}
