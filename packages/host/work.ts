export interface Work {
  readonly say: (text: string) => void;
  /** Replaces the current progress text. */
  readonly show: (text: string) => void;
  /** Receives every output line of started programs. */
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}
