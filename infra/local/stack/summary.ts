import { relative } from "node:path";
import type { PhaseTime } from "../foundation/phases.ts";
import { projectFolder, stackPaths } from "../foundation/paths.ts";
import { shellQuote } from "./access.ts";
import type { UpResult } from "./bring-up.ts";

/** `3.2 s`, `1 min 04 s`. */
function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** One line for each phase, and their wall-clock total. */
function timeTable(times: readonly PhaseTime[], totalSeconds: number): string[] {
  const rows = [
    ...times.map(({ title, seconds }) => [title, formatSeconds(seconds)] as const),
    ["in all", formatSeconds(totalSeconds)] as const,
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  return rows.map(([title, time]) => `  ${title.padEnd(width)}  ${time.padStart(12)}`);
}

/** A path as it may be typed from the checkout. */
function shown(path: string): string {
  const local = relative(projectFolder, path);
  return /^[\w./-]+$/.test(local) ? local : shellQuote(path);
}

/** Log in, get a token, query: to be pasted one after the other into a shell in the checkout's folder. */
function firstCommands(stack: string): string[] {
  const { accessFile } = stackPaths(stack);
  const curl = 'curl --silent --show-error --fail-with-body --cacert "$ROUTEQL_CA_FILE"';
  const json = "--header 'Content-Type: application/json'";
  const key = '--header "x-service-api-key: $SERVICE_API_KEY"';
  const source = `. ${shown(accessFile).replace(/^\.routeql/, "./.routeql")}`;
  const credentials = String.raw`"{\"email\":\"$ADMIN_EMAIL\",\"password\":\"$ADMIN_PASSWORD\"}"`;
  const login = `${curl} ${json} ${key} --data ${credentials} "$ROUTEQL_URL/api/auth/login/credentials"`;
  const field = (name: string): string => String.raw`sed -n 's/.*"${name}":"\([^"]*\)".*/\1/p'`;
  const query = "query { view_bgpupdates(limit: 3, order_by: {timestamp: desc}) { timestamp prefix type as_path } }";
  return [
    `${source} && SID=$(${login} | ${field("sessionId")}) && echo "logged in"`,
    `TOKEN=$(${curl} ${key} --cookie "sid=$SID" "$ROUTEQL_URL/api/auth/jwt" | ${field("access_token")}) && echo "got a token"`,
    `${curl} ${json} --header "Authorization: Bearer $TOKEN" --data '{"query":"${query}"}' "$ROUTEQL_URL/api/graphql"`,
  ];
}

/** What `up` prints at its end. */
export function upSummary(stack: string, { access, times, changes, newPassword }: UpResult, totalSeconds: number): string {
  const changed = Object.entries(changes).some(([name, count]) => name !== "same" && count > 0);
  const more = stack === "local" ? "" : ` --stack ${stack}`;
  return [
    "",
    changed ? `The stack ${stack} is up.` : `The stack ${stack} is up; nothing changed.`,
    "",
    `  API       ${access.url}/api/graphql`,
    ...(access.consoleUrl ? [`  Console   ${access.consoleUrl}`] : []),
    `  Secrets   ${shown(stackPaths(stack).accessFile)} (made to be sourced)`,
    ...(newPassword
      ? [`  Login     ${access.adminEmail} with the generated password ${access.adminPassword} (shown this once)`]
      : []),
    "",
    "Time by phase:",
    ...timeTable(times, totalSeconds),
    "",
    "Log in, get a token, query:",
    "",
    ...firstCommands(stack),
    "",
    `Made-up data to query: npm run load -- --demo 10000${more}`,
  ].join("\n");
}
