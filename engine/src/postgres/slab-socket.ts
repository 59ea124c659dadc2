import { Socket } from "node:net";

/** Bytes of memory that reads share: few enough that most slabs are gone before the collector takes them for long-lived, which keeps them for minutes. */
const slabSize = 131_072;

/** Bytes that one read may take: as many as node would offer it. */
const readSize = 65_536;

/**
 * A socket whose reads follow one another in shared memory. node sets 64 KiB aside for each read and shrinks them afterwards, which
 * for short answers costs more than to read them. Nothing is written twice: a chunk stays as it is for as long as somebody holds it.
 */
export function slabSocket(): Socket {
  let slab: Buffer = Buffer.allocUnsafeSlow(slabSize);
  let used = 0;
  const socket = new Socket({
    onread: {
      buffer: () => {
        if (slabSize - used < readSize) {
          slab = Buffer.allocUnsafeSlow(slabSize);
          used = 0;
        }
        return slab.subarray(used, used + readSize);
      },
      callback: (length) => {
        const chunk = slab.subarray(used, used + length);
        used += length;
        return socket.emit("data", chunk);
      },
    },
  });
  return socket;
}
