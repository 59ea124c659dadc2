/**
 * A process with one page for each account on standard input (`{ api, from, accounts }` as one line of JSON). Each page follows the stream of
 * updates with the modules of the console and of the samples. A second line ends it, and it prints a {@link PageReport} for each page.
 */
import { createInterface } from "node:readline";
import { createClient } from "graphql-ws";
import { createSession, passwordLogin } from "@routeql/console/client-session";
import { followStream } from "@routeql/console/client-stream";

export interface PageReport {
  /** Times that each row arrived, by its prefix. */
  readonly rows: Readonly<Record<string, number>>;
  /** Longest time between two rows in seconds. */
  readonly longestSilence: number;
  /** Errors that ended the stream. */
  readonly errors: readonly string[];
  /** Errors after which the stream continued. */
  readonly interruptions: number;
  readonly logins: number;
}

interface Order {
  readonly api: string;
  readonly from: number;
  readonly accounts: readonly { readonly email: string; readonly password: string }[];
}

const query = `subscription ($from: bigint!) {
  view_bgpupdates_log_stream(batch_size: 100, cursor: {initial_value: {position: $from}}) { position prefix }
}`;

function open(api: string, from: number, { email, password }: Order["accounts"][number]): () => PageReport {
  const rows: Record<string, number> = {};
  const errors: string[] = [];
  let [lastAt, longestSilence, logins, interruptions] = [performance.now(), 0, 0, 0];
  const logIn = passwordLogin(api, email, password);
  const session = createSession(() => {
    logins += 1;
    return logIn();
  });
  const client = session.connect(createClient, `${api.replace(/^http/, "ws")}/api/graphql`);
  followStream<{ position: number; prefix: string }>(
    client,
    { query, from },
    {
      row: ({ prefix }) => {
        rows[prefix] = (rows[prefix] ?? 0) + 1;
        longestSilence = Math.max(longestSilence, performance.now() - lastAt);
        lastAt = performance.now();
      },
      error: (reason, isFinal) => {
        if (isFinal) errors.push(JSON.stringify(reason));
        else interruptions += 1;
      },
    },
  );
  return () => ({
    rows,
    longestSilence: Math.max(longestSilence, performance.now() - lastAt) / 1000,
    errors,
    interruptions,
    logins,
  });
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async (): Promise<string> => String((await lines.next()).value);
const { api, from, accounts } = JSON.parse(await next()) as Order;
const pages = accounts.map((account) => open(api, from, account));
await next();
process.stdout.write(JSON.stringify(pages.map((report) => report())), () => process.exit(0));
