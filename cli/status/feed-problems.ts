import { stackOption } from "../foundation/command.ts";
import type { FeedFacts, FeedGap, Problem } from "./report.ts";

/** Gaps of one source that are problems of their own. */
const mostGaps = 5;

/** Gaps of the live sources, each with the command that closes it. @param hasFeed whether a feed belongs to the stack; else nothing fills a gap that lasts */
export function feedProblems(feeds: readonly FeedFacts[], hasFeed: boolean, stack: string): Problem[] {
  const works = feeds.some(({ gaps }) => gaps.every(({ until }) => until !== null));
  // Beside a working source, one that was stopped in order was removed from the settings.
  const isProblem = ({ gap, until, reason }: FeedGap): boolean =>
    until !== null || (hasFeed && !(works && gap === null && reason === "feed stopped"));
  return feeds.flatMap(({ source, gaps }) => {
    const open = gaps.filter(isProblem);
    const others = open.length - mostGaps;
    return [
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
