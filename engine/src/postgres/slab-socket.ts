import { Socket } from "node:net";

/** Bytes of memory that reads share. */
const slabSize = 131_072;

/** Bytes that one read may take: as many as node would offer it. */
const readSize = 65_536;

/**
 * A socket whose reads follow one another in shared memory. node sets 64 KiB aside for each read and shrinks them afterwards, which
 * for short answers costs more than to read them. A chunk stays as it is until its reader says that the memory may be used anew.
 */
export class SlabSocket {
  readonly socket: Socket;
  #slab = Buffer.allocUnsafeSlow(slabSize);
  #used = 0;
  /** Where the next read goes. */
  #room = this.#slab.subarray(0, readSize);
  #isKept = false;

  constructor() {
    this.socket = new Socket({ onread: { buffer: () => this.#makeRoom(), callback: (length) => this.#read(length) } });
  }

  /** What was read is held on to for as long as somebody likes. */
  keep(): void {
    this.#isKept = true;
  }

  /** Nobody looks at earlier chunks any more, but for those that were kept. */
  reuse(): void {
    if (!this.#isKept) this.#used = 0;
  }

  #read(length: number): boolean {
    const start = this.#used;
    this.#used += length;
    return this.socket.emit("data", this.#slab.subarray(start, this.#used));
  }

  #makeRoom(): Buffer {
    if (slabSize - this.#used < readSize) {
      this.#slab = Buffer.allocUnsafeSlow(slabSize);
      this.#used = 0;
      this.#isKept = false;
    }
    if (this.#room.buffer !== this.#slab.buffer || this.#room.byteOffset !== this.#used) this.#room = this.#slab.subarray(this.#used, this.#used + readSize);
    return this.#room;
  }
}
