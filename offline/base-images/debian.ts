import { spawn } from "node:child_process";
import type { Work } from "@routeql/host/work";
import { findProgram, installPackages } from "@routeql/host/apt";
import { Failure, messageOf } from "@routeql/host/failure";
import { lineSplitter } from "@routeql/host/process";
import { downloadSites, requireProxies } from "@routeql/host/reachable";
import { dockerClient, follow } from "@routeql/host/docker/client";

/** `mmdebstrap … | docker import`: a minimal Debian of this machine's architecture. */
export async function buildDebianBase(name: string, { say, onLine, signal }: Work): Promise<void> {
  if (!(await findProgram("mmdebstrap"))) {
    say("installing mmdebstrap");
    await installPackages(
      ["mmdebstrap"],
      onLine,
      "building the base image from Debian's packages, because no image registry answers",
    );
  }
  say(`building ${name} from Debian's packages`);
  await requireProxies(downloadSites.debian);
  const child = spawn("mmdebstrap", ["--variant=minbase", "--include=ca-certificates", "trixie", "-"], {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  const lines: string[] = [];
  const splitter = lineSplitter((line) => {
    lines.push(line);
    onLine(line);
  });
  child.stderr.setEncoding("utf8").on("data", splitter.add).on("end", splitter.end);
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
  });
  const [repo = name, tag = "latest"] = name.split(":");
  // An incomplete archive would become an image: it gets its name only after mmdebstrap has succeeded.
  const docker = dockerClient();
  const imported = docker
    .importImage(child.stdout, { changes: ['CMD ["bash"]'] })
    .then(
      async (answer) => (await follow(answer)).findLast(({ status }) => status?.startsWith("sha256:"))?.status ?? "",
    );
  try {
    const [id] = await Promise.all([imported, ended]);
    await docker.getImage(id).tag({ repo, tag });
  } catch (error) {
    signal.throwIfAborted();
    throw new Failure(`mmdebstrap failed to build ${name}: ${messageOf(error)}`, {
      lastLines: lines.slice(-15),
      remedy:
        "check that the apt settings of this machine reach a Debian mirror; or load an image of that name (docker load).",
      cause: error,
    });
  }
}
