import { Readable } from "node:stream";
import type Docker from "dockerode";
import { pack } from "tar-stream";
import type { ContainerInputs } from "./inputs.ts";

type Upload = NonNullable<ContainerInputs["uploads"]>[number];

function modeOf({ permissions, executable }: Upload): number {
  return permissions === undefined ? (executable ? 0o755 : 0o644) : Number.parseInt(permissions, 8);
}

/** Puts files into a container that exists; they belong to root, and the engine makes folders that are missing. */
export async function putUploads(container: Docker.Container, uploads: readonly Upload[]): Promise<void> {
  if (uploads.length === 0) return;
  const archive = pack();
  const modifiedAt = new Date(0);
  for (const upload of uploads) {
    const content =
      upload.contentBase64 === undefined ? Buffer.from(upload.content ?? "") : Buffer.from(upload.contentBase64, "base64");
    archive.entry({ name: upload.file.replace(/^\/+/, ""), mode: modeOf(upload), mtime: modifiedAt }, content);
  }
  archive.finalize();
  await container.putArchive(Readable.from(archive), { path: "/" });
}
