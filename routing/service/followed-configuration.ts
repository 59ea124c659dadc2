import { setTimeout as after } from "node:timers/promises";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import { isDeepStrictEqual } from "node:util";
import { unreadable } from "@routeql/database-access/unreadable";
import type { Client } from "pg";
import { applyConfiguration, versionIfStored } from "../judging/detect.ts";
import type { Configuration } from "../judging/configuration/parsed-configuration.ts";
import { ConfigurationError } from "../judging/configuration/problems.ts";
import { readConfiguration } from "../judging/configuration/read-configuration.ts";
import { storedVersion } from "../judging/stored/stored-configuration.ts";
import type { FeedLogger } from "./log.ts";

export interface FollowedOptions {
  readonly file: string;
  readonly connect: () => Promise<Client>;
  readonly log: FeedLogger;
  /** Called with whether the file as it is now is the database's configuration. */
  readonly onState: (isApplied: boolean) => void;
  readonly onApplied: () => void;
  /** Whether this replica applies its file over another configuration of the database: of two with different files, one may. */
  readonly isActive: () => boolean;
  /** Milliseconds between two looks at the file, and between two attempts to apply it. */
  readonly interval?: number;
}

/** Looks at the file between two looks at the database. */
const looksForDatabase = 12;

/**
 * Keeps the configuration for detection equal to a file, until `signal` is aborted: after a change of the file, and after another one of the
 * database, such as a restore.
 */
export async function followConfiguration(options: FollowedOptions, signal: AbortSignal): Promise<void> {
  const { file, connect, log, onState, isActive, interval = 5_000 } = options;
  // At the start of the process the file is complete. Later it may be written in pieces, so that two looks have to find the same.
  let seen = look(file);
  let settled: Look | undefined;
  /** Of the settled file; undefined for one with errors. */
  let configuration: Configuration | undefined;
  /** Version of the database's configuration when it last was the file's. */
  let applied: string | undefined;
  /** Another version at the last look: a second replica with the next file may just have applied it. */
  let other: string | undefined;
  for (let looks = 1; !signal.aborted; looks += 1) {
    const found = look(file);
    if (!isSame(found, settled) && isSame(found, seen)) {
      configuration = parse(found, file, log);
      // A file with errors is reported once; the database may be away, so that another attempt helps.
      applied = configuration === undefined ? undefined : await apply(configuration, options, signal);
      const isSettled = configuration === undefined || applied !== undefined;
      if (isSettled) settled = found;
      other = undefined;
      onState(applied !== undefined);
    } else if (configuration !== undefined && isSame(found, settled) && looks % looksForDatabase === 0) {
      const wanted = configuration;
      try {
        const version = await connected(connect, signal, versionOf);
        if (version !== applied && version !== other)
          applied = await connected(connect, signal, (client) => compare(client, wanted));
        else if (version === other && isActive()) {
          log.info({}, "the database has another configuration for detection; the file is applied again");
          settled = undefined;
        }
        other = version === applied ? undefined : version;
        onState(version === applied);
      } catch {
        // The database is away, which the feed itself reports.
      }
    }
    seen = found;
    await after(interval, undefined, { signal }).catch(() => {});
  }
}

/** Does some work on a connection of its own, which a stopping feed ends: its last rows need the turn, and the work may wait for a lock. */
async function connected<T>(
  connect: () => Promise<Client>,
  signal: AbortSignal,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  let client: Client | undefined;
  const end = (): void => void client?.end().catch(() => {});
  signal.addEventListener("abort", end, { once: true });
  try {
    client = await connect();
    signal.throwIfAborted();
    return await work(client);
  } finally {
    signal.removeEventListener("abort", end);
    await client?.end().catch(() => {});
  }
}

/** The version of the database's configuration; empty without one. */
const versionOf = async (client: Client): Promise<string> => (await storedVersion(client)) ?? "";

/** @returns the version of the database's configuration if it is this one: another replica may have applied an equal file */
async function compare(client: Client, configuration: Configuration): Promise<string | undefined> {
  await client.query(patientSession);
  return versionIfStored(client, configuration);
}

/** A run waits for others, and judges all updates again, which may take minutes. */
const patientSession = "set statement_timeout = 0; set idle_in_transaction_session_timeout = '5min'";

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

/** @returns the version of the database's configuration; undefined if it could not be applied */
async function apply(
  configuration: Configuration,
  { connect, log, onApplied }: FollowedOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await connected(connect, signal, async (client) => {
      await client.query(patientSession);
      const report = await applyConfiguration(client, configuration);
      if (report !== undefined) {
        const { configured, hijacks } = report;
        log.info({ configured, hijacks }, "applied the configuration for detection");
        onApplied();
      }
      return versionOf(client);
    });
  } catch (error) {
    if (!signal.aborted)
      log.warn({ err: error }, "the configuration for detection is not applied yet; the feed retries");
    return undefined;
  }
}
