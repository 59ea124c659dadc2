import type { Execute } from "@routeql/host/program-streams";
import { printedIn } from "./health-detail.ts";
import type { Problem } from "./report.ts";

/** With the function of images/sessions/users.sh. */
const program = [
  "bash",
  "-c",
  '. "${VALKEY_USERS:-/usr/local/lib/valkey-users}"; printf "info memory\\ninfo persistence\\n" | valkey',
];

/** As the alert SessionStoreFull. */
const mostOfMemory = 0.8;

/** @param info answer to `info memory` and `info persistence` */
export function readStore(info: string): Problem[] {
  const field = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, "m").exec(info)?.[1];
  const problem = (reason: string, runbook: string): Problem => ({
    subject: "sessions",
    reason,
    next: `docs/operate/runbooks.md#${runbook}`,
  });
  const [used, most] = [Number(field("used_memory")), Number(field("maxmemory"))];
  return [
    ...(field("aof_last_write_status") === "err"
      ? [problem("cannot write to its volume, so logins fail", "sessionsnotsaved")]
      : []),
    ...(most > 0 && used > mostOfMemory * most
      ? [
          problem(
            `uses ${Math.floor((used / most) * 100)} % of its memory; logins fail when it is full`,
            "sessionstorefull",
          ),
        ]
      : []),
  ];
}

/** The stack's own session store, if it runs. @param enter as in StackPlace */
export const storeProblems = async (
  services: readonly string[],
  enter: (service: string) => Promise<Execute>,
  signal: AbortSignal,
): Promise<Problem[]> =>
  services.includes("sessions") ? readStore(await printedIn("sessions", program, enter, signal)) : [];
