import { posix } from "node:path";
import { Readable } from "node:stream";
import type Docker from "dockerode";
import { pack } from "tar-stream";
import { messageOf } from "../failure.ts";
import { orUndefined } from "./client.ts";
import { lastLogLines } from "./output.ts";

export interface FilesTrial {
  readonly image: string;
  /** Program and its arguments, in place of the image's entry point. It has no network. */
  readonly program: readonly string[];
  readonly user: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Where the container has the files; the rest of its root is read-only. */
  readonly directory: string;
  /** By path under the directory. */
  readonly files: Readonly<Record<string, string>>;
}

/** Milliseconds. */
const patience = 30_000;

function archiveOf(files: FilesTrial["files"]): Readable {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name, mode: 0o444 }, content);
  archive.finalize();
  return Readable.from(archive);
}

/** Runs a program on a copy of files, in a container of its own that is removed. @returns its last lines if it fails; undefined if it succeeds */
export async function tryFiles(docker: Docker, trial: FilesTrial): Promise<readonly string[] | undefined> {
  const container = await docker.createContainer({
    Image: trial.image,
    Entrypoint: [...trial.program],
    Cmd: [],
    User: trial.user,
    Labels: { ...trial.labels },
    Volumes: { [trial.directory]: {} },
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      Tmpfs: { "/tmp": "rw,noexec,nosuid,size=64m,mode=1777" },
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Memory: 512 * 1024 * 1024,
      LogConfig: { Type: "json-file", Config: {} },
    },
  });
  try {
    await container.putArchive(archiveOf(trial.files), { path: posix.normalize(trial.directory) });
    await container.start();
    const signal = AbortSignal.timeout(patience);
    const { StatusCode: code } = (await container.wait({ abortSignal: signal })) as { StatusCode: number };
    return code === 0 ? undefined : await lastLogLines(container, 10);
  } catch (error) {
    return [messageOf(error)];
  } finally {
    await orUndefined(container.remove({ force: true, v: true }));
  }
}
