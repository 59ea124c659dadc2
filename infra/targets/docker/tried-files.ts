import { all, type Input, output, type Output, RunError, runtime, unsecret } from "@pulumi/pulumi";
import { tryFiles } from "@routeql/host/docker/try-files";
import { filesDirectory, type ServiceDescription } from "../../description/service.ts";
import type { FileContent } from "../../services/file-contents.ts";
import { daemonOfProvider } from "./provider-daemon.ts";
import type { Scope } from "./scope.ts";

/**
 * Resolves when the service's own check accepts a copy of its new files, before the live ones change. It is no secret.
 * @throws {RunError} with the check's last lines
 */
export function tried(
  { name, user, filesCheck }: ServiceDescription,
  image: Input<string>,
  contents: readonly (readonly [path: string, file: FileContent])[],
  { stack }: Pick<Scope, "stack">,
): Output<boolean> {
  if (filesCheck === undefined || runtime.isDryRun()) return output(true);
  const files = all(contents.map(([path, { content }]) => output(content).apply((text) => [path, text] as const)));
  return unsecret(
    all([image, files]).apply(async ([known, entries]) => {
      const docker = daemonOfProvider();
      if (docker === undefined) return true;
      const lines = await tryFiles(docker, {
        image: known,
        program: filesCheck,
        user: `${user}:${user}`,
        // Not the label of a service: commands would find the container as one.
        labels: { "com.routeql.trial": stack },
        directory: filesDirectory,
        files: Object.fromEntries(entries),
      });
      if (lines === undefined) return true;
      throw new RunError(
        [
          `The ${name} rejects its new files, so the old ones stay. Correct the certificate or the setting that its last lines name:`,
          ...lines.map((line) => `  ${line}`),
        ].join("\n"),
      );
    }),
  );
}
