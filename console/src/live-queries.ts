import type { Client } from "graphql-ws";
import type { Session } from "./session.ts";

export interface LiveQueries {
  readonly client: Client;
  readonly endAll: () => void;
}

interface Live {
  /** Shows words instead of rows. */
  readonly show: (words: string) => void;
  readonly end: () => void;
}

/**
 * Live queries whose result never looks current when it is not: a lost connection and an end replace the rows by words. GraphiQL shows an error
 * as its stack and keeps "Stop query" otherwise.
 * @param onState receives the state of the connection in words, empty while it is good
 */
export function createLiveQueries(session: Session, onState: (words: string) => void): LiveQueries {
  const running = new Set<Live>();
  const client = session.connect({
    connected: () => onState(""),
    closed: (event) => {
      if (running.size === 0) return onState("");
      const words = `The connection of the live query was lost at ${new Date().toLocaleTimeString()}${reasonOf(event)}. Connecting again…`;
      onState(words);
      for (const live of running) live.show(words);
    },
  });

  const subscribe: Client["subscribe"] = (payload, sink) => {
    const live: Live = {
      show: (words) => sink.next({ errors: [{ message: words }] }),
      end: () => {
        if (running.delete(live)) sink.complete();
        if (running.size === 0) onState("");
      },
    };
    running.add(live);
    const unsubscribe = client.subscribe(payload, {
      next: (value) => {
        if (running.has(live)) sink.next(value as never);
      },
      error: (reason) => {
        if (running.has(live)) live.show(`The live query ended: ${messageOf(reason)}`);
        live.end();
      },
      complete: live.end,
    });
    ends.set(live, unsubscribe);
    return () => {
      live.end();
      unsubscribe();
    };
  };
  const ends = new WeakMap<Live, () => void>();

  return {
    client: { ...client, subscribe },
    endAll: () => {
      for (const live of running) {
        live.end();
        ends.get(live)?.();
      }
    },
  };
}

/** The server's reason of a closed connection, as ` (4403: …)`. */
function reasonOf(event: unknown): string {
  const { reason = "" } = (event ?? {}) as { reason?: string };
  if (reason === "") return "";
  try {
    return ` (${(JSON.parse(reason) as { server_error_msg: string }).server_error_msg})`;
  } catch {
    return ` (${reason})`;
  }
}

/** GraphQL errors of the operation, a refused login, or the close of the connection. */
function messageOf(reason: unknown): string {
  if (Array.isArray(reason)) return reason.map(({ message }: { message: string }) => message).join(" ");
  if (reason instanceof Error) return reason.message;
  return `the connection was closed${reasonOf(reason)}`;
}
