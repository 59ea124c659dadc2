import type { Update } from "../formats/update.ts";

/** Milliseconds for which a delivered update is remembered at least. Equal ones of one moment arrive within milliseconds of each other. */
const window = 3_000;
/** Updates of one window; memory of about 10 MB. */
const most = 30_000;

/** Text that is equal for equal updates. */
export const contentOf = ({ service, timestamp, prefix, peerAsn, type, path }: Update): string =>
  `${service}|${timestamp}|${prefix}|${peerAsn}|${type}|${JSON.stringify(path)}`;

/** Numbers equal updates of a live source, and recognises one that arrives twice: two subscriptions, a source that repeats itself. */
export class Repetitions {
  /** The id of the message, or several ids of equal updates, which are rare. */
  private current = new Map<string, string | string[]>();
  private previous = new Map<string, string | string[]>();
  private started = 0;

  /** @param id of the update's message @returns 0 for the first of equal updates; undefined if this one was delivered before */
  number(update: Update, id: string, now = Date.now()): number | undefined {
    if (now - this.started > window || this.current.size >= most) {
      this.previous = this.current;
      this.current = new Map();
      this.started = now;
    }
    const content = contentOf(update);
    const known = this.current.get(content) ?? this.previous.get(content);
    if (known === undefined) {
      this.current.set(content, id);
      return 0;
    }
    const ids = typeof known === "string" ? [known] : known;
    this.current.set(content, ids);
    if (ids.includes(id)) return undefined;
    return ids.push(id) - 1;
  }
}
