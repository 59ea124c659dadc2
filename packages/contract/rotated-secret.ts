import { hash, timingSafeEqual } from "node:crypto";

/** A secret that a client must present, and its predecessor for a limited time after a rotation. */
export interface RotatedSecret {
  readonly current: string;
  readonly previous?: string | undefined;
  /** Time in ISO 8601 form until which the previous secret is accepted. Without it only the current one is. */
  readonly previousUntil?: string | undefined;
}

/** Which of the two secrets a candidate is, by SHA-256, so that the time reveals nothing. @param now replaces the clock in tests */
export function secretComparison(
  { current, previous, previousUntil }: RotatedSecret,
  now: () => number = Date.now,
): (candidate: string) => "current" | "previous" | undefined {
  const is = (secret: string): ((candidate: Buffer) => boolean) => {
    const expected = hash("sha256", secret, "buffer");
    return (candidate) => timingSafeEqual(candidate, expected);
  };
  const isCurrent = is(current);
  const isPrevious = previous === undefined || previousUntil === undefined ? undefined : is(previous);
  const end = Date.parse(previousUntil ?? "");
  return (candidate) => {
    const hashed = hash("sha256", candidate, "buffer");
    if (isCurrent(hashed)) return "current";
    return isPrevious?.(hashed) && now() < end ? "previous" : undefined;
  };
}

/** Labels of a metric beyond this number are counted together, so that clients cannot create labels without bound. */
const mostLabels = 100;

/** Returns each of the first 100 labels unchanged, and `other` for further ones. */
export function boundedLabels(): (label: string) => string {
  const known = new Set<string>();
  return (label) => {
    if (known.size < mostLabels) known.add(label);
    return known.has(label) ? label : "other";
  };
}
