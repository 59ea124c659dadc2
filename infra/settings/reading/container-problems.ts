/** Addresses of other systems that a container cannot mean. */
import { readConnection } from "@routeql/contract/connection/connection";
import { directoryUrlsOf } from "@routeql/sidecar-settings/directory-url";
import { isPending } from "../../inputs.ts";
import type { GivenInputs, SettingName } from "../list.ts";
import type { SettingsProblem } from "./error.ts";
import { isLoopback } from "./public-problems.ts";

const hostOf = (url: string): string => URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? "";
const ofUrl = (url: string): readonly string[] => [hostOf(url)];
const ofHostAndPort = (text: string): readonly string[] => [hostOf(`tcp://${text}`)];

/** The hosts of each setting to which a service connects, in a valid value. */
const hostsOf: Readonly<Partial<Record<SettingName, (value: string) => readonly string[]>>> = {
  databaseUrl: (url) => [readConnection(url).host],
  sessionsUrl: ofUrl,
  ldapUrl: (urls) => directoryUrlsOf(urls).map(hostOf),
  backupEndpoint: ofUrl,
  alertWebhookUrl: ofUrl,
  alertWatchdogUrl: ofUrl,
  alertSmtpHost: ofHostAndPort,
  traceEndpoint: ofUrl,
  feedUrl: ofUrl,
  feedExabgpAddress: ofHostAndPort,
  feedVrpsAddress: ofUrl,
};

/** Each service has a container of its own, so `localhost` is never the machine. Checks on the machine would accept it. */
export const containerProblems = (given: GivenInputs): SettingsProblem[] =>
  Object.entries(hostsOf).flatMap(([name, read]) => {
    const value = given[name as SettingName];
    const own =
      typeof value !== "string" || isPending(value)
        ? undefined
        : read(value).find((host) => isLoopback(host) || host === "0.0.0.0" || host === "::");
    const problem =
      "which in a container is the container itself: write a name or an address of this machine that containers reach";
    return own === undefined ? [] : [{ name, place: "read in a container", problem: `names ${own}, ${problem}` }];
  });
