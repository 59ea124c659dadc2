import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { WaitingBytes } from "../cost/waiting-bytes.ts";

export interface OutboxLimits {
  /** Unsent bytes above which live answers wait, each replaced by its successor. */
  readonly congested: number;
  /** Unsent bytes above which the connection is closed. */
  readonly overflow: number;
}

/** Sends frames to one client, with a bound on unread data. */
export interface Outbox {
  send(frame: string): void;
  /** Sends a frame that a later one with the same key replaces. */
  sendLatest(key: string, frame: string): void;
  /** Drops the waiting frame of the key. */
  forget(key: string): void;
  /** Answers a WebSocket ping; of several that arrived together only the last, as RFC 6455 section 5.5.3 allows. */
  pong(data: Buffer): void;
  close(): void;
  readonly isCongested: boolean;
}

/** Bytes that wait for the end of a turn at most: they count as unsent. */
const mostGathered = 16_384;

/** @param connection below the socket @param client names the client for {@link WaitingBytes} */
export function createOutbox(
  socket: WebSocket,
  connection: Duplex,
  limits: OutboxLimits,
  all: WaitingBytes,
  client: () => string,
): Outbox {
  /** Waiting frames by key, sent when there is room. */
  const waiting = new Map<string, string>();
  let waitingLength = 0;
  let pongData: Buffer | undefined;
  let isGathering = false;
  let isClosed = false;
  // No close frame: it would wait behind all data that the client does not read.
  const hold = all.hold(client, () => socket.terminate());

  const count = (): void => {
    // Frames that were being compressed count for ever in a socket that is closed.
    if (!isClosed) hold.set(socket.bufferedAmount + waitingLength);
  };

  function take(key: string): string | undefined {
    const frame = waiting.get(key);
    waiting.delete(key);
    waitingLength -= frame?.length ?? 0;
    return frame;
  }

  function afterSend(): void {
    for (const key of waiting.keys()) {
      if (socket.bufferedAmount > limits.congested) break;
      send(take(key) ?? "");
    }
    count();
  }

  /** One change often has an answer for several subscriptions of a client: they leave together at the end of the turn, in one write. */
  function gather(): void {
    if (isGathering) return;
    isGathering = true;
    connection.cork();
    process.nextTick(leave);
  }

  function leave(): void {
    if (!isGathering) return;
    isGathering = false;
    connection.uncork();
  }

  function send(frame: string): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount + frame.length <= mostGathered) gather();
    else leave();
    socket.send(frame, afterSend);
    count();
    if (socket.bufferedAmount > limits.overflow) socket.terminate();
  }

  function sendPong(): void {
    const data = pongData;
    pongData = undefined;
    // A client that reads nothing needs no answer to its pings.
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= limits.congested)
      socket.pong(data, undefined, afterSend);
  }

  return {
    send,
    sendLatest(key, frame) {
      if (socket.bufferedAmount <= limits.congested) {
        // An older frame may still wait, although there is room.
        take(key);
        send(frame);
        return;
      }
      waitingLength += frame.length - (waiting.get(key)?.length ?? 0);
      waiting.set(key, frame);
      count();
    },
    forget(key) {
      take(key);
      count();
    },
    pong(data) {
      if (pongData === undefined) setImmediate(sendPong);
      pongData = data;
    },
    close() {
      isClosed = true;
      waiting.clear();
      waitingLength = 0;
      hold.release();
    },
    get isCongested() {
      return socket.bufferedAmount > limits.congested;
    },
  };
}
