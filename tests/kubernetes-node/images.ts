import { spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { execa } from "execa";
import { dnsImage, type NodeLayout, pauseImage } from "./layout.ts";

async function programImage(image: string, folder: string, program: string): Promise<void> {
  const archive = spawn("tar", ["--create", "--directory", folder, program], { stdio: ["ignore", "pipe", "ignore"] });
  const changes = ["--change", `ENTRYPOINT ["/${program}"]`];
  const load = spawn("docker", ["import", ...changes, "-", image], { stdio: ["pipe", "ignore", "pipe"] });
  let problem = "";
  load.stderr.on("data", (chunk: Buffer) => (problem += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => load.once("close", resolve));
  await pipeline(archive.stdout, load.stdin);
  if ((await ended) !== 0) throw new Error(`docker import of ${image} failed: ${problem}`);
}

/** Copies images of this machine's daemon to the node. A name identifies the content, so existing images are not copied again. */
export async function loadImages(layout: NodeLayout, wanted: readonly string[]): Promise<void> {
  const { containerdSocket } = layout;
  const present = new Set(await imagesOfNode(layout));
  const images = wanted.filter((image) => !present.has(image) && !present.has(`docker.io/${image}`));
  if (images.length === 0) return;
  const save = spawn("docker", ["save", ...images], { stdio: ["ignore", "pipe", "pipe"] });
  const load = spawn("ctr", ["--address", containerdSocket, "--namespace", "k8s.io", "images", "import", "-"], {
    stdio: ["pipe", "ignore", "pipe"],
  });
  let problem = "";
  for (const stream of [save.stderr, load.stderr]) stream.on("data", (chunk: Buffer) => (problem += chunk.toString()));
  const ended = [save, load].map((child) => new Promise<number | null>((resolve) => child.once("close", resolve)));
  const copied = await pipeline(save.stdout, load.stdin).catch((error: unknown) => error);
  const codes = await Promise.all(ended);
  if (copied !== undefined || codes.some((code) => code !== 0)) {
    throw new Error(`the images ${images.join(", ")} cannot be copied to the node: ${problem || String(copied)}`);
  }
}

/** The images that the node itself needs. */
export async function loadOwnImages(layout: NodeLayout, binaries: string): Promise<void> {
  await programImage(pauseImage, binaries, "pause");
  await programImage(dnsImage, binaries, "coredns");
  await loadImages(layout, [pauseImage, dnsImage]);
}

async function imagesOfNode({ containerdSocket }: NodeLayout): Promise<string[]> {
  const { stdout } = await execa(
    "ctr",
    ["--address", containerdSocket, "--namespace", "k8s.io", "images", "list", "--quiet"],
    { lines: true },
  );
  return stdout.filter((line) => line !== "");
}
