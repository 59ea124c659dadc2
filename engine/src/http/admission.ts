import type { Session } from "../engine.ts";
import { busy } from "../errors.ts";

/** Bounds the number of concurrent operations, so that overload is answered immediately instead of delaying every client. */
export interface Admission {
  /**
   * Takes a place; release it with `leave`.
   * @throws EngineError `busy` (503) when all are taken, unless the client holds less than its share
   */
  enter(session: Pick<Session, "role" | "client">): void;
  leave(session: Pick<Session, "role" | "client">): void;
  readonly inFlight: number;
}

/** A client with all places cannot keep another client from its share, so up to twice as many operations may run. */
export function createAdmission(places: number): Admission {
  let taken = 0;
  const held = new Map<string, number>();
  return {
    enter({ role, client = role }) {
      const own = held.get(client) ?? 0;
      const clients = held.size + (own === 0 ? 1 : 0);
      if (taken >= places && own >= Math.max(1, Math.floor(places / clients))) {
        throw busy();
      }
      taken += 1;
      held.set(client, own + 1);
    },
    leave({ role, client = role }) {
      taken -= 1;
      const own = held.get(client) ?? 0;
      if (own > 1) held.set(client, own - 1);
      else held.delete(client);
    },
    get inFlight() {
      return taken;
    },
  };
}
