import type { Session } from "../engine.ts";
import { EngineError } from "../errors.ts";

/** Bounds how many operations are worked on at once, so that overload is answered at once instead of by everybody waiting. */
export interface Admission {
  /**
   * Takes a place, to be given back with `leave`.
   * @throws EngineError `busy` (503) when all are taken, unless the client holds less than its share of them
   */
  enter(session: Pick<Session, "role" | "client">): void;
  leave(session: Pick<Session, "role" | "client">): void;
  readonly inFlight: number;
}

/** A client that holds all places cannot keep another from its own share, so that twice as many operations may run in the worst case. */
export function createAdmission(places: number): Admission {
  let taken = 0;
  const held = new Map<string, number>();
  return {
    enter({ role, client = role }) {
      const own = held.get(client) ?? 0;
      const clients = held.size + (own === 0 ? 1 : 0);
      if (taken >= places && own >= Math.max(1, Math.floor(places / clients))) {
        throw new EngineError({ code: "busy", status: 503, message: "the server is busy, try again later" });
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
