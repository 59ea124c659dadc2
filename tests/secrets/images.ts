import { spawn } from "node:child_process";
import { Readable } from "node:stream";

/** All layers of some images, each layer once, as one stream, which fails if Docker fails. */
export const layersOf = (images: readonly string[]): Readable => Readable.from(saved(images));

async function* saved(images: readonly string[]): AsyncGenerator<Buffer> {
  const child = spawn("docker", ["save", ...images], { stdio: ["ignore", "pipe", "pipe"] });
  let problem = "";
  child.stderr.on("data", (chunk: Buffer) => (problem += chunk.toString()));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  for await (const chunk of child.stdout) yield chunk as Buffer;
  const code = await ended;
  if (code !== 0) throw new Error(`docker save ended with ${code}: ${problem.trim()}`);
}
