import { EngineError } from "../errors.ts";

/** Bounds how many operations are worked on at once, so that overload is answered at once instead of by everybody waiting. */
export interface Admission {
  /** Takes a place, to be given back with `leave`. @throws EngineError `busy` (503) when all are taken. */
  enter(): void;
  leave(): void;
  readonly inFlight: number;
}

export function createAdmission(places: number): Admission {
  let taken = 0;
  return {
    enter() {
      if (taken >= places) throw new EngineError({ code: "busy", status: 503, message: "the server is busy, try again later" });
      taken += 1;
    },
    leave() {
      taken -= 1;
    },
    get inFlight() {
      return taken;
    },
  };
}
