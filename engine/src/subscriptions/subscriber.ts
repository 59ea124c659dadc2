import type { EngineError } from "../errors.ts";
import type { PollAnswer } from "../engine.ts";

/** One answer for one subscriber. */
export interface Delivery {
  /** `{"data":…}`, or `{"errors":[…]}` when `failed`. */
  readonly text: string;
  readonly failed: boolean;
}

/** The receiver of a subscription's answers. */
export interface Listener {
  deliver(delivery: Delivery): void;
  /** Its first poll failed through its own fault: no answer follows, and the caller stops it. */
  refuse(error: EngineError): void;
  /** Whether it accepts more now. Live queries ignore this: their next answer replaces an unsent one. */
  isReady(): boolean;
}

/** A running subscription. */
export interface Subscription {
  /** Ends it; nothing is delivered afterwards. Idempotent. */
  stop(): void;
}

/** Delivers a poll's answer to a listener. As in Hasura, a subscription that fails through its own fault in the first poll never starts. */
export function handOver(listener: Listener, answer: PollAnswer, isFirst: boolean): void {
  if (isFirst && answer.fault !== undefined) listener.refuse(answer.fault);
  else listener.deliver(answer);
}
