import type { WebSocket } from "ws";

export interface OutboxLimits {
  /** Bytes waiting to be sent above which live answers wait, each replaced by its successor. */
  readonly congested: number;
  /** Bytes above which the client is given up. */
  readonly overflow: number;
}

/** Sends frames to one client, without letting what it does not read pile up. */
export interface Outbox {
  send(frame: string): void;
  /** Sends a frame that a later one with the same key makes superfluous. */
  sendLatest(key: string, frame: string): void;
  /** Forgets what waits under the key. */
  forget(key: string): void;
  readonly isCongested: boolean;
}

export function createOutbox(socket: WebSocket, limits: OutboxLimits): Outbox {
  const waiting = new Map<string, string>();

  function afterSend(): void {
    for (const [key, frame] of waiting) {
      if (socket.bufferedAmount > limits.congested) return;
      waiting.delete(key);
      send(frame);
    }
  }

  function send(frame: string): void {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(frame, afterSend);
    // No close frame: it would have to wait behind everything that the client does not read.
    if (socket.bufferedAmount > limits.overflow) socket.terminate();
  }

  return {
    send,
    sendLatest(key, frame) {
      if (socket.bufferedAmount > limits.congested) waiting.set(key, frame);
      else send(frame);
    },
    forget: (key) => waiting.delete(key),
    get isCongested() {
      return socket.bufferedAmount > limits.congested;
    },
  };
}
