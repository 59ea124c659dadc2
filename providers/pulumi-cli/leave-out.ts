/**
 * Makes the source tree of a smaller CLI: without access to Pulumi Cloud, states in object stores and databases, keys of cloud providers
 * and their logs. A stack of this project, with its state in a folder and a passphrase, uses none of it, and compiling it takes more
 * than half of the processor time.
 * @module
 */
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "@routeql/host/process";

interface LeftOut {
  /** Folder below the module. */
  readonly package: string;
  /** Files that go; without a list all of the package. */
  readonly files?: readonly string[];
  /** What takes their place, in left-out/. */
  readonly by: string;
}

const modules: Readonly<Record<string, readonly LeftOut[]>> = {
  "github.com/pulumi/pulumi/pkg/v3": [
    { package: "cmd/pulumi/cloud", by: "api-command.go" },
    { package: "cmd/pulumi/neo", by: "neo-command.go" },
    { package: "operations", files: ["operations_aws.go", "operations_cloud_aws.go", "operations_gcp.go"], by: "provider-logs.go" },
    { package: "secrets/cloud", by: "key-services.go" },
    { package: "authhelpers", by: "google-credentials.go" },
    { package: "backend/diy/postgres", by: "state-in-postgres.go" },
  ],
  "gocloud.dev": [
    { package: "blob/azureblob", by: "state-in-azureblob.go" },
    { package: "blob/gcsblob", by: "state-in-gcsblob.go" },
    { package: "blob/s3blob", by: "state-in-s3blob.go" },
  ],
  "github.com/aws/aws-sdk-go-v2/service/s3": [{ package: ".", by: "s3-client.go" }],
};

type RunGo = (...args: readonly string[]) => ReturnType<typeof run>;

/**
 * Fills a folder with go.mod, go.sum and patched copies of the modules concerned, which replace them there.
 * @param go runs the Go command in that folder
 */
export async function leaveOut(folder: string, go: RunGo): Promise<void> {
  for (const name of ["go.mod", "go.sum"]) await copyFile(join(import.meta.dirname, name), join(folder, name));
  // Checked against go.sum, as the build itself does.
  const { stdout } = await go("mod", "download", "-json", ...Object.keys(modules));
  for (const { Path: path, Dir: source } of JSON.parse(`[${stdout.trim().replaceAll(/^\}\s*\{/gm, "},{")}]`) as { Path: string; Dir: string }[]) {
    const copy = join(folder, "modules", path);
    await copyModule(source, copy);
    for (const cut of modules[path] ?? []) await replaceFiles(join(copy, cut.package), cut);
    await go("mod", "edit", `-replace=${path}=${copy}`);
  }
}

/** Tests and their data are not compiled. The module cache is read-only, so its modes are not copied. */
async function copyModule(source: string, target: string): Promise<void> {
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(source.length + 1);
    if (!entry.isFile() || entry.name.endsWith("_test.go") || path.split("/").includes("testdata")) continue;
    await mkdir(dirname(join(target, path)), { recursive: true });
    await copyFile(join(source, path), join(target, path));
  }
}

async function replaceFiles(folder: string, { files, by }: LeftOut): Promise<void> {
  const going = files ?? (await readdir(folder)).filter((name) => name.endsWith(".go"));
  for (const name of going) await rm(join(folder, name));
  await copyFile(join(import.meta.dirname, "left-out", by), join(folder, by));
}
