/** The members of AbortSignal that the engine uses; every AbortSignal qualifies. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** An AbortController and its signal without event objects. Each request needs one, and the event objects would cost as much as a token check. */
export class LightCancellation implements Cancellation {
  readonly #listeners: (() => void)[] = [];
  #reason: Error | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Notifies the listeners, once. */
  abort(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const position = this.#listeners.indexOf(listener);
    if (position !== -1) this.#listeners.splice(position, 1);
  }
}

/** The result of the work, or the signal's reason as soon as it aborts; the work then continues without a listener. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: Cancellation | undefined): Promise<Result> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener("abort", leave);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

/** The reason of a cancelled statement: its client has disconnected. */
export class ClientLeft extends Error {
  constructor() {
    super("the client has left");
    this.name = "ClientLeft";
  }
}
