/** One answer for one subscriber. */
export interface Delivery {
  /** `{"data":…}`, or `{"errors":[…]}` when `failed`. */
  readonly text: string;
  readonly failed: boolean;
}

/** Who listens to a subscription. */
export interface Listener {
  deliver(delivery: Delivery): void;
  /** Whether it takes more right now. Live queries do not ask: their next answer replaces one that was not sent yet. */
  isReady(): boolean;
}

/** A running subscription. */
export interface Subscription {
  /** Ends it; nothing is delivered after. May be called again. */
  stop(): void;
}
