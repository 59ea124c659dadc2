import type { Call } from "./pair.ts";

/** A difference between both engines that stays, with its reason. */
export interface Known {
  readonly name: string;
  readonly reason: string;
  matches(pair: { readonly call: Call; readonly hasura: string; readonly embedded: string }): boolean;
}

export const known: readonly Known[] = [];
