/** A place that may hold secrets of the run, and why. Everything else may not. */
export interface Exception {
  /** Matches the path below `.routeql`. */
  readonly path: RegExp;
  readonly why: string;
}

export const mayHold: readonly Exception[] = [
  { path: /^test-logs\/[^/]+\/evidence\/secrets\.jsonl$/, why: "the list that this search goes by; mode 0600, removed when the run ends" },
  { path: /^[^/]+\/access\.env$/, why: "made for people to log in with; mode 0600, removed by `npm run down`" },
  { path: /^[^/]+\/passphrase$/, why: "what opens the stack's encrypted state; mode 0600" },
];
