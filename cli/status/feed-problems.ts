import { stackOption } from "../foundation/command.ts";
import type { DatabaseFacts, FeedFacts, FeedGap, Problem } from "./report.ts";

/** Gaps of one source that are problems of their own. */
const mostGaps = 5;
/** As the alert FeedSilent. */
const longestSilence = 300_000;

/** Whether a time (RFC 3339) is missing or further in the past than a limit in milliseconds. */
export const older = (time: string | null | undefined, limit: number, now: number): boolean =>
  time === null || time === undefined || now - Date.parse(time) > limit;

/** Gaps of the live sources, each with the command that closes it. @param hasFeed whether a feed belongs to the stack; else nothing fills a gap that lasts */
export function feedProblems(
  feeds: readonly FeedFacts[],
  hasFeed: boolean,
  stack: string,
  now = Date.now(),
): Problem[] {
  return feeds.flatMap(({ source, coveredUntil, gaps }) => {
    const open = gaps.filter(({ until }) => hasFeed || until !== null);
    const others = open.length - mostGaps;
    const isStuck = hasFeed && gaps.every(({ until }) => until !== null) && older(coveredUntil, longestSilence, now);
    return [
      ...(isStuck ? [gapProblem(source, { ...stuck, since: coveredUntil }, stack)] : []),
      ...open.slice(0, mostGaps).map((gap) => gapProblem(source, gap, stack)),
      ...(others > 0
        ? [
            {
              subject: "feed",
              reason: `${others} earlier gaps of ${source}`,
              next: `npm run psql --${stackOption(stack)} -c 'table view_feed_gaps'`,
            },
          ]
        : []),
    ];
  });
}

/** A feed loads its first list of RPKI payloads at its start. */
const firstVrps = 600_000;

/** @param since start of a feed that loads RPKI payloads (RFC 3339); undefined without one */
export const vrpsProblems = (
  database: Pick<DatabaseFacts, "vrpsBuilt"> | undefined,
  since: string | undefined,
  now: number,
): Problem[] =>
  database === undefined || database.vrpsBuilt !== undefined || since === undefined || !older(since, firstVrps, now)
    ? []
    : [
        {
          subject: "RPKI",
          reason: "the feed has loaded no list of payloads",
          next: "docs/operate/runbooks.md#vrpsold",
        },
      ];

/** The feed writes, or has a gap that lasts, at least every few seconds. */
const stuck = { gap: null, until: null, reason: "the feed stores nothing and reports no cause" } as const;

function gapProblem(source: string, { gap, since, until, reason }: FeedGap, stack: string): Problem {
  if (gap === null || until === null)
    return {
      subject: "feed",
      reason: `updates of ${source} are missing since ${since}: ${reason}`,
      next: `npm run logs --${stackOption(stack)} --tail 50 feed; docs/operate/runbooks.md#feedsilent`,
    };
  return {
    subject: "feed",
    reason: `updates of ${source} are missing from ${since} to ${until}: ${reason}`,
    next: `npm run load --${stackOption(stack)} --fill-gap ${gap} FILE…; docs/operate/runbooks.md#feedgap`,
  };
}

/** `ris-live stored until 2026-05-04T10:00:00Z (3 s ago), 2 gaps` */
export const feedText = (feeds: readonly FeedFacts[], ago: (time: string) => string): string =>
  feeds
    .map(({ source, coveredUntil, gaps }) => {
      const count = gaps.length === 0 ? "no gap" : gaps.length === 1 ? "1 gap" : `${gaps.length} gaps`;
      return `${source} stored until ${ago(coveredUntil)}, ${count}`;
    })
    .join("; ");
