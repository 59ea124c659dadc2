import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { run } from "@routeql/host/process";
import { downloadSites, requireProxies } from "@routeql/host/reachable";
import { ensureGo, goEnvironment } from "./go.ts";
import { leaveOut } from "./leave-out.ts";
import { builtVersion } from "./plan.ts";

interface BuildOptions {
  readonly say: (text: string) => void;
  readonly show: (text: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Number of packages that a build with an empty cache compiles, including Go's own. */
const packages = "about 1,100";

/** Builds the CLI of the adjacent go.mod and go.sum into `<root>/bin/pulumi`. */
export async function buildCli(root: string, options: BuildOptions): Promise<void> {
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
    const flags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${builtVersion}`;
    const build = ["build", "-v", "-mod=readonly", "-tags", "osusergo,grpcnotrace", "-trimpath", "-ldflags", flags];
    await runGo(...build, "-o", "pulumi", "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi");
    await rename(join(folder, "pulumi"), join(root, "bin/pulumi"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
