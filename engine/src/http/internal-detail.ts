import type { Session } from "../engine.ts";
import type { EngineError } from "../errors.ts";

/** Whether a session may see the internal detail of an error. */
export type ShowsInternal = (session: Session, error: EngineError) => boolean;

export interface InternalDetailOptions {
  /** Shown to role admin (Hasura's default). */
  readonly forAdmin: boolean;
  /** Shown to every role. */
  readonly forAll: boolean;
}

/** The detail of a 503 contains the database's address and the connection settings, so it stays in the log for every role. */
export function createShowsInternal({ forAdmin, forAll }: InternalDetailOptions): ShowsInternal {
  return (session, error) => error.status !== 503 && (forAll || (forAdmin && session.isAdmin));
}
