import { RunError } from "@pulumi/pulumi";

const line = /^(\S+?)@(sha256:[0-9a-f]{64})$/;

/** Reads a list of pinned images, one `name:tag@sha256:…` in a line. @param file its name for errors @returns digests by reference @throws {RunError} */
export function readDigests(text: string, file: string): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  for (const [index, given] of text.split("\n").entries()) {
    const entry = given.trim();
    if (entry === "") continue;
    const [, reference, digest] = line.exec(entry) ?? [];
    if (reference === undefined || digest === undefined)
      throw new RunError(
        `${file}:${index + 1} has no digest: ${entry}. Write each image as name:tag@sha256:…, as docker inspect prints it after a push.`,
      );
    digests.set(reference, digest);
  }
  return digests;
}

/** @throws {RunError} that lists the images of manifests without a digest */
export function refuseUnpinned(images: readonly string[], file: string): void {
  const unpinned = images.filter((image) => !image.includes("@sha256:"));
  if (unpinned.length === 0) return;
  throw new RunError(
    `${file} has no digest for ${unpinned.join(", ")}. Was it made from another commit or other settings? Push these images and add their digests.`,
  );
}
