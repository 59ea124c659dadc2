import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { run } from "../foundation/process.ts";
import { ensureGo, goEnvironment } from "./go.ts";
import { builtVersion } from "./plan.ts";

interface BuildOptions {
  readonly say: (text: string) => void;
  readonly show: (text: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** So many packages the build goes through, Go's own among them, where its cache is empty. */
const packages = "about 1,700";

/** Builds the CLI that go.mod and go.sum beside this file pin into `<root>/bin/pulumi`. */
export async function buildCli(root: string, options: BuildOptions): Promise<void> {
  const go = await ensureGo(options);
  const unfinished = join(root, `pulumi.${process.pid}`);
  await mkdir(join(root, "bin"), { recursive: true });
  let downloads = 0;
  let compiled = 0;
  const show = (line: string): void => {
    options.onLine(line);
    if (line.startsWith("go: downloading")) downloads++;
    else if (/^[a-z0-9.-]+(\/|$)/.test(line)) compiled++;
    options.show(`building: ${downloads} modules fetched, ${compiled} of ${packages} packages compiled`);
  };
  try {
    await run(
      go,
      [
        "build",
        "-v",
        "-mod=readonly",
        "-tags",
        "osusergo,grpcnotrace",
        "-trimpath",
        "-ldflags",
        `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${builtVersion}`,
        "-o",
        unfinished,
        "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      ],
      {
        environment: goEnvironment(process.env),
        workingDirectory: import.meta.dirname,
        onLine: show,
        signal: options.signal,
        interruptWith: "SIGINT",
        remedy:
          "the Go module proxy (GOPROXY) must be reachable and 3 GB of disk free; then run this again: what was done is kept.",
      },
    );
    await rename(unfinished, join(root, "bin/pulumi"));
  } finally {
    await rm(unfinished, { force: true });
  }
}
