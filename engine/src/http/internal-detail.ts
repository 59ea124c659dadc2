import type { Session } from "../engine.ts";
import type { EngineError } from "../errors.ts";

/** Whether a session is shown the internal detail of an error. */
export type ShowsInternal = (session: Session, error: EngineError) => boolean;

export interface InternalDetailOptions {
  /** Role admin sees it (Hasura's default). */
  readonly forAdmin: boolean;
  /** Everybody sees it. */
  readonly forAll: boolean;
}

/** Where the database is, and how it was to be reached, stays in the log whoever asks; that is what a 503 would tell. */
export function createShowsInternal({ forAdmin, forAll }: InternalDetailOptions): ShowsInternal {
  return (session, error) => error.status !== 503 && (forAll || (forAdmin && session.isAdmin));
}
