import type { KnownDocument } from "./documents.ts";

/** Hasura's pause between two polls of a live query, in milliseconds. */
const pause = 1_000;

interface Running {
  readonly client: string;
  /** Connections that its polls keep busy on average. */
  readonly load: number;
  members: number;
}

/** Bounds connections that live queries keep busy at Hasura, which polls each document: a quarter for all, half of that for one client. */
export class LiveLoad {
  readonly #most: number;
  readonly #running = new Map<KnownDocument, Running>();

  constructor(connections: number) {
    this.#most = connections / 4;
  }

  get documents(): number {
    return this.#running.size;
  }

  /** @param milliseconds of one poll. @returns whether the document may run; call `leave` once for each time that it may */
  enter(document: KnownDocument, client: string, milliseconds: number): boolean {
    const known = this.#running.get(document);
    if (known !== undefined) {
      known.members += 1;
      return true;
    }
    const load = milliseconds / (milliseconds + pause);
    const others = [...this.#running.values()];
    const sum = (running: readonly Running[]): number => running.reduce((total, each) => total + each.load, load);
    // A document that alone exceeds the share of a client may still run, as the only one of the client.
    const own = others.filter((each) => each.client === client);
    if (sum(others) > this.#most || (own.length > 0 && sum(own) > this.#most / 2)) return false;
    this.#running.set(document, { client, load, members: 1 });
    return true;
  }

  leave(document: KnownDocument): void {
    const running = this.#running.get(document);
    if (running === undefined) return;
    running.members -= 1;
    if (running.members === 0) this.#running.delete(document);
  }
}
