import type { LiveMessage } from "../formats/live-message.ts";

/** Listener of a live source. */
export interface LiveListener {
  message(message: LiveMessage): void;
  /** All updates from now on arrive. */
  connected(): void;
  /** Nothing is missing until now: the source answers, or its connection stands. */
  alive(): void;
  /** Updates may be missing from now on, until `connected`. */
  lost(reason: string): void;
  /** Messages between the last one and this one are missing. */
  skipped(reason: string): void;
}

/** A source of live updates. It reconnects by itself until `stop`. */
export interface LiveSource {
  /** Its name in the database, such as ris-live. */
  readonly name: string;
  /** Milliseconds by which a message may arrive later than another with the same time. */
  readonly lateness: number;
  start(listener: LiveListener): void;
  /** Stops reading, so that the source waits or ends the connection. */
  pause(): void;
  resume(): void;
  stop(): void;
}
