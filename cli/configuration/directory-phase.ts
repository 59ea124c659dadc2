/** Asks the directory before anything changes, as the auth sidecar does at a login. */
import { lookup as lookUp } from "node:dns";
import { connect, isIP, type LookupFunction } from "node:net";
import { rootCertificates } from "node:tls";
import type { DirectorySettings } from "@routeql/auth-sidecar/ldap/directory-connection";
import { within } from "@routeql/contract/within";
import { Failure, messageOf } from "@routeql/host/failure";
import { hostEntriesOf } from "@routeql/infra/settings/values/host-entries";
import { type SettingName, settings } from "@routeql/infra/settings/list";
import { directorySettingNames } from "@routeql/infra/settings/declared/sidecar";
import { authorityIn } from "@routeql/infra/tls/authority";
import { ldapSettings } from "@routeql/sidecar-settings/directory";
import { z } from "zod";
import { type Phase, phase, type Ready } from "../foundation/phases.ts";
import type { StackConfiguration } from "./configuration.ts";

/** Milliseconds for a connection, and for all searches. */
const patience = { connection: 3000, searches: 20_000 };

type Given = Pick<StackConfiguration, "given" | "plain">;

/** The settings as the auth sidecar reads them. */
function directorySettingsOf({ given, plain }: Given): DirectorySettings {
  const raw = directorySettingNames.flatMap((name): [string, string][] => {
    const value = given[name] ?? (plain as Readonly<Partial<Record<SettingName, string | number | boolean>>>)[name];
    return value === undefined ? [] : [[settings[name].environment, String(value)]];
  });
  const authorityGiven = (name: "ldapCaFile" | "authoritiesFile"): string | undefined =>
    plain[name] === undefined ? undefined : authorityIn(name, plain[name]);
  const own = authorityGiven("ldapCaFile");
  const common = authorityGiven("authoritiesFile");
  const authority = own ?? (common === undefined ? undefined : [...rootCertificates, common].join("\n"));
  return {
    ...z.object(ldapSettings).parse({ ...Object.fromEntries(raw), LDAP_CA: authority }),
    LDAP_TIMEOUT_MILLISECONDS: plain.ldapTimeoutMilliseconds,
    LDAP_CHECK_SECONDS: plain.ldapCheckSeconds,
  } as DirectorySettings;
}

/** The name servers of this machine, after the setting `extraHosts`. */
export function lookupWith(extraHosts: string | undefined): LookupFunction {
  const entries = hostEntriesOf(extraHosts ?? "");
  return (host, options, done) => {
    const found = entries.filter((entry) => entry.host === host.toLowerCase()).map(({ ip }) => ip);
    const [first] = found;
    if (first === undefined) lookUp(host, options, done);
    else if (options.all === true)
      done(
        null,
        found.map((address) => ({ address, family: isIP(address) })),
      );
    else done(null, first, isIP(first));
  };
}

/** Why this machine cannot connect to a server; undefined if it can. */
function unreachable(url: string, lookup: LookupFunction): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const standard = protocol === "ldaps:" ? 636 : 389;
  const socket = connect({ host, port: port === "" ? standard : Number(port), lookup });
  const connected = new Promise<void>((resolve, reject) => void socket.once("connect", resolve).once("error", reject));
  return within(patience.connection, connected)
    .then(
      () => undefined,
      (error: unknown) => messageOf(error) || (error as NodeJS.ErrnoException).code || "no connection",
    )
    .finally(() => socket.destroy());
}

export interface AskedDirectory {
  /** Why no account could log in. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Makes the searches of a login at the servers that this machine reaches. */
export async function askDirectory({ given, plain }: Given): Promise<AskedDirectory> {
  const { checkDirectory } = await import("@routeql/auth-sidecar/ldap/directory-check");
  const asked = directorySettingsOf({ given, plain });
  const lookup = lookupWith(plain.extraHosts);
  const reached = await Promise.all(
    asked.LDAP_URL.map(async (url) => ({ url, reason: await unreachable(url, lookup) })),
  );
  const unasked = reached.flatMap(({ url, reason }) =>
    reason === undefined ? [] : [`LDAP_URL: ${url} could not be asked from this machine: ${reason}`],
  );
  const servers = reached.filter(({ reason }) => reason === undefined).map(({ url }) => url);
  if (servers.length === 0) return { problems: [], warnings: unasked };
  const { problems, missingGroups } = await within(
    patience.searches,
    checkDirectory({ ...asked, LDAP_URL: servers }, lookup),
  ).catch((error: unknown) => ({ problems: [messageOf(error)], missingGroups: [] }));
  return { problems, warnings: [...unasked, ...missingGroups] };
}

/** Returns warnings. @param unchecked continue with a directory that does not accept the settings */
export const directoryPhase = (given: Given, unchecked: boolean): Phase & Ready<readonly string[]> =>
  phase("LDAP directory", async ({ say }) => {
    const { problems, warnings } = await askDirectory(given);
    if (problems.length > 0 && !unchecked)
      throw new Failure("No LDAP login works with these settings", {
        lastLines: problems,
        remedy:
          "correct the setting that the line names (docs/operate/ldap.md#troubleshoot), or repeat the command with --unchecked-directory.",
      });
    const all = [...problems, ...warnings];
    for (const warning of all) say(`Warning: ${warning}`);
    if (all.length === 0) return [all, "answers the searches of a login"];
    return [all, problems.length > 0 ? "does not accept the settings" : "asked, with warnings"];
  });
