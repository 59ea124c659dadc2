import { Socket } from "node:net";

/** Bytes of memory shared by consecutive reads. */
const slabSize = 131_072;

/** Maximum bytes of one read: the amount that Node offers. */
const readSize = 65_536;

/**
 * A socket whose reads share memory. Node allocates 64 KiB for each read and shrinks it afterwards, which for short answers costs more than
 * reading them. A chunk stays unchanged until its reader releases the memory.
 */
export class SlabSocket {
  readonly socket: Socket;
  #slab = Buffer.allocUnsafeSlow(slabSize);
  #used = 0;
  /** Target of the next read. */
  #room = this.#slab.subarray(0, readSize);
  #isKept = false;

  constructor() {
    this.socket = new Socket({ onread: { buffer: () => this.#makeRoom(), callback: (length) => this.#read(length) } });
  }

  /** Keeps the memory of previous chunks for any length of time. */
  keep(): void {
    this.#isKept = true;
  }

  /** Releases earlier chunks that were not kept. */
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
    if (this.#room.buffer !== this.#slab.buffer || this.#room.byteOffset !== this.#used)
      this.#room = this.#slab.subarray(this.#used, this.#used + readSize);
    return this.#room;
  }
}
