import type { EngineError } from "../errors.ts";
import type { PollAnswer } from "../engine.ts";

/** One answer for one subscriber. */
export interface Delivery {
  /** `{"data":…}`, or `{"errors":[…]}` when `failed`. */
  readonly text: string;
  readonly failed: boolean;
}

/** Who listens to a subscription. */
export interface Listener {
  deliver(delivery: Delivery): void;
  /** Its first poll failed by its own fault: nothing follows, and it is to be stopped. */
  refuse(error: EngineError): void;
  /** Whether it takes more right now. Live queries do not ask: their next answer replaces one that was not sent yet. */
  isReady(): boolean;
}

/** A running subscription. */
export interface Subscription {
  /** Ends it; nothing is delivered after. May be called again. */
  stop(): void;
}

/** Hands a poll's answer to a listener. Hasura tries each subscription before it begins: what fails by itself never begins. */
export function handOver(listener: Listener, answer: PollAnswer, isFirst: boolean): void {
  if (isFirst && answer.fault !== undefined) listener.refuse(answer.fault);
  else listener.deliver(answer);
}
