import { mustRun } from "../harness/process.ts";

/** An image that a service of the stack runs. */
export interface RunningImage {
  readonly service: string;
  readonly name: string;
  /** `sha256:…`: the registry's digest, or the local id of an image that was built here. */
  readonly digest: string;
}

/** The images of the stack's containers, with those of its finished jobs. */
export async function imagesOf(stack: string): Promise<readonly RunningImage[]> {
  const containers = await mustRun("docker", [
    "ps",
    "--all",
    "--filter",
    `label=com.routeql.stack=${stack}`,
    "--format",
    '{{.Names}} {{.Label "com.routeql.run"}}',
  ]);
  const images = containers
    .split("\n")
    .map((line) => line.split(" "))
    // A container that only carries files into a volume never runs.
    .flatMap(([container = "", kind]) => (container === "" || kind === "files" ? [] : [container]))
    .map(async (container): Promise<RunningImage> => {
      const [name = "", id = ""] = (
        await mustRun("docker", ["inspect", "--format", "{{.Config.Image}} {{.Image}}", container])
      )
        .trim()
        .split(" ");
      const digests = await mustRun("docker", ["image", "inspect", "--format", '{{join .RepoDigests " "}}', id]);
      return {
        service: container.replace(`routeql-${stack}-`, ""),
        name,
        digest: digests.trim().split(" ")[0]?.split("@")[1] ?? id,
      };
    });
  return (await Promise.all(images)).toSorted((one, other) => one.service.localeCompare(other.service));
}

/** Versions of Docker, the operating system and Node. */
export async function machineVersions(): Promise<string> {
  const docker = await mustRun("docker", [
    "info",
    "--format",
    "Docker {{.ServerVersion}}, {{.OperatingSystem}}, {{.Architecture}}",
  ]);
  return `${docker.trim()}, Node ${process.versions.node}`;
}
