import type { Socket } from "node:net";

/** Milliseconds without a byte after which the server counts as silent, on a loaded machine; each sent byte resets it. */
const firstByte = 20_000;

/**
 * Milliseconds without a further byte after which a reply on an open connection is complete, because the bytes of one reply arrive
 * close together.
 */
const furtherByte = 1500;

/**
 * Writes bytes that no HTTP library would write. Returns all received bytes until the other side closes, or has answered and is silent.
 * Use `Connection: close` to receive several replies, or to test that there is no reply.
 * @throws {Error} if the other side neither answers nor closes within `silence` milliseconds
 */
export async function exchange(socket: Socket, bytes: string | Buffer, silence = firstByte): Promise<string> {
  let text = "";
  let isSilent = false;
  socket.setEncoding("latin1").setTimeout(silence, () => {
    const { length } = text;
    // After a pause of the process its timers fire before it reads bytes that arrived meanwhile.
    setImmediate(() => {
      if (socket.destroyed || text.length > length) return;
      isSilent = text === "";
      socket.destroy();
    });
  });
  socket.on("data", (chunk: string) => {
    text += chunk;
    socket.setTimeout(furtherByte);
  });
  // A client that is disconnected while it sends may still have received its answer.
  const failed = new Promise<never>((_, reject) => {
    socket.on("error", (error: NodeJS.ErrnoException) => void (isCut(error) || reject(error)));
  });
  socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  await Promise.race([failed, new Promise((resolve) => socket.once("close", resolve))]);
  if (isSilent) throw new Error(`neither an answer nor an end within ${silence} ms`);
  return text;
}

const isCut = ({ code }: NodeJS.ErrnoException): boolean => code === "ECONNRESET" || code === "EPIPE";

/** Status codes of all replies in a result of {@link exchange}. */
export function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
}
