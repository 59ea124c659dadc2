import { expect, test } from "vitest";
import { kinds } from "@routeql/cli/stack/rotation";
import { keepDrill } from "../harness/drills.ts";
import { Clients } from "./support/clients.ts";
import { node } from "./support/node.ts";
import { up } from "./support/stack.ts";

/** Raised so far; an update must not go back. */
const generations: Record<string, string> = {};
const nextDay = new Date(Date.now() + 86_400_000).toISOString();

test.each(Object.entries(kinds))(
  "rotates %s while clients work with the former keys",
  { timeout: 600_000 },
  async (kind, { generation, until }) => {
    generations[generation] = "2";
    if (until !== undefined) generations[until] = nextDay;
    const clients = new Clients();
    const { changes } = await up(node, undefined, generations);
    const { answered, lost } = await clients.end();
    keepDrill("Kubernetes", `rotate ${kind}`, `${lost.length} of ${answered + lost.length} requests failed`);
    expect(Object.keys(changes)).not.toEqual(["same"]);
    expect(answered).toBeGreaterThan(20);
    // The session store has one pod, which restarts.
    const unexpected =
      kind === "sessions-password" ? lost.filter(({ what, why }) => what !== "login" || !why.startsWith("503")) : lost;
    expect(unexpected).toEqual([]);
  },
);
