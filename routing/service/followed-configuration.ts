import { setTimeout as after } from "node:timers/promises";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import { isDeepStrictEqual } from "node:util";
import { unreadable } from "@routeql/database-access/unreadable";
import type { Client } from "pg";
import { applyConfiguration } from "../judging/detect.ts";
import type { Configuration } from "../judging/parsed-configuration.ts";
import { ConfigurationError } from "../judging/problems.ts";
import { readConfiguration } from "../judging/read-configuration.ts";
import type { FeedLogger } from "./log.ts";

export interface FollowedOptions {
  readonly file: string;
  readonly connect: () => Promise<Client>;
  readonly log: FeedLogger;
  /** Called with whether the file as it is now is the database's configuration. */
  readonly onState: (isApplied: boolean) => void;
  readonly onApplied: () => void;
  /** Milliseconds between two looks at the file, and between two attempts to apply it. */
  readonly interval?: number;
}

/** Keeps the configuration for detection equal to a file, until `signal` is aborted. */
export async function followConfiguration(options: FollowedOptions, signal: AbortSignal): Promise<void> {
  const { file, log, onState, interval = 5_000 } = options;
  // At the start of the process the file is complete. Later it may be written in pieces, so that two looks have to find the same.
  let seen = look(file);
  let settled: Look | undefined;
  while (!signal.aborted) {
    const found = look(file);
    if (!isSame(found, settled) && isSame(found, seen)) {
      const configuration = parse(found, file, log);
      // A file with errors is reported once; the database may be away, so that another attempt helps.
      const isSettled = configuration === undefined || (await apply(configuration, options, signal));
      if (isSettled) settled = found;
      onState(isSettled && configuration !== undefined);
    }
    seen = found;
    await after(interval, undefined, { signal }).catch(() => {});
  }
}

/** The text of a file, or why there is none. */
type Look = { readonly text: string } | { readonly problem: string };

const isSame = (one: Look, other: Look | undefined): boolean => isDeepStrictEqual(one, other);

function look(file: string): Look {
  try {
    return { text: readText(file) };
  } catch (error) {
    if (error instanceof UnreadableText) return { problem: error.message };
    const reason = unreadable(error);
    if (reason === undefined) throw error;
    return { problem: reason };
  }
}

const refused = "the configuration for detection is wrong; the former one stays";

function parse(found: Look, file: string, log: FeedLogger): Configuration | undefined {
  if ("problem" in found) {
    log.error({ file, problem: found.problem }, refused);
    return undefined;
  }
  try {
    const configuration = readConfiguration(found.text, file);
    for (const warning of configuration.warnings) log.warn({}, warning);
    return configuration;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    log.error({ err: error }, refused);
    return undefined;
  }
}

async function apply(
  configuration: Configuration,
  { connect, log, onApplied }: FollowedOptions,
  signal: AbortSignal,
): Promise<boolean> {
  let client: Client | undefined;
  const end = (): void => void client?.end().catch(() => {});
  // A stopping feed needs the turn for its last rows.
  signal.addEventListener("abort", end, { once: true });
  try {
    client = await connect();
    if (signal.aborted) return false;
    // All updates are judged again, which may take minutes.
    await client.query("set statement_timeout = 0; set idle_in_transaction_session_timeout = '5min'");
    const report = await applyConfiguration(client, configuration);
    if (report === undefined) return true;
    const { configured, hijacks } = report;
    log.info({ configured, hijacks }, "applied the configuration for detection");
    onApplied();
    return true;
  } catch (error) {
    if (!signal.aborted)
      log.warn({ err: error }, "the configuration for detection is not applied yet; the feed retries");
    return false;
  } finally {
    signal.removeEventListener("abort", end);
    await client?.end().catch(() => {});
  }
}
