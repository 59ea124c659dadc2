/** A place that may contain secrets of the run, with the reason. All other places may not. */
export interface Exception {
  /** Matches the path below `.routeql`. */
  readonly path: RegExp;
  readonly why: string;
}

export const mayHold: readonly Exception[] = [
  {
    path: /^test-logs\/[^/]+\/evidence\/secrets\.jsonl$/,
    why: "the list of secrets for this search; mode 0600, removed when the run ends",
  },
  { path: /^[^/]+\/access\.env$/, why: "access data for users; mode 0600, removed by `npm run down`" },
  { path: /^[^/]+\/passphrase$/, why: "the passphrase of the stack's encrypted state; mode 0600" },
];
