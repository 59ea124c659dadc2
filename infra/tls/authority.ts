import type { X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { type Input, log } from "@pulumi/pulumi";
import { certificatesOf, pemOf } from "@routeql/contract/pem";
import { derive } from "../inputs.ts";
import { SettingsError } from "../settings/reading/error.ts";
import type { SettingName } from "../settings/list.ts";
import { placeOf, readGiven } from "./given-file.ts";
import { keyKindOf } from "./key-kind.ts";
import { isSelfSigned, nameOf, pathsFrom } from "./path-faults.ts";

const isValid = ({ validToDate }: X509Certificate): boolean => validToDate.getTime() > Date.now();

function endedProblem(certificates: readonly X509Certificate[]): string {
  const last = certificates.toSorted((left, right) => right.validToDate.getTime() - left.validToDate.getTime())[0]!;
  return `has no valid certificate: ${nameOf(last.subject)} ended on ${last.validToDate.toISOString()}. Add the current one of the authority`;
}

/** Whether OpenSSL and Node accept a certificate below these: they need a path to a root. `authoritiesFile` is beside the public ones. */
const hasRoot = (name: SettingName, kept: readonly X509Certificate[]): boolean =>
  kept.some((each) => isSelfSigned(each) && isValid(each)) ||
  (name === "authoritiesFile" &&
    kept.some((each) => pathsFrom(each, kept, certificatesOf(rootCertificates.join("\n")))[0]?.complete === true));

function rootlessProblem(kept: readonly X509Certificate[]): string {
  const last = kept.find((each) => kept.every((other) => !each.checkIssued(other))) ?? kept[0]!;
  return `has no root certificate, without which Node and OpenSSL trust nothing in it: ${nameOf(last.subject)} was issued by ${nameOf(last.issuer)}. Add the certificate of that authority`;
}

const described = (certificate: X509Certificate): string =>
  `the authority ${nameOf(certificate.subject)} with a key of the kind ${keyKindOf(certificate).name}, with which connections of Node crash`;

const remedy = "Remove it, and give the server a certificate of an authority with RSA, P-256 or P-384";

interface Authorities {
  readonly kept: readonly X509Certificate[];
  /** Left out, because a server's certificate that it has signed crashes a client of Node. */
  readonly crashing: readonly X509Certificate[];
}

/**
 * The certificates of a setting. Former ones may stay in a file beside the current one. An intermediate certificate that only the server sends
 * is not in the file: one whose key is of such a kind crashes the client all the same.
 * @throws {SettingsError}
 */
function authoritiesIn(name: SettingName, given: string): Authorities {
  const wrong = (problem: string) => new SettingsError([{ name, place: placeOf(given), problem }]);
  const read = readGiven(given, certificatesOf);
  if ("problem" in read) throw wrong(read.problem);
  // Only pgBackRest and Barman connect to the storage.
  const crashing = name === "backupCaFile" ? [] : read.value.filter((each) => keyKindOf(each).crashesNode);
  const kept = read.value.filter((each) => !crashing.includes(each));
  if (kept.some(isValid)) {
    if (hasRoot(name, kept)) return { kept, crashing };
    throw wrong(rootlessProblem(kept));
  }
  throw wrong(crashing[0] === undefined ? endedProblem(kept) : `has ${described(crashing[0])}. ${remedy}`);
}

/** The trusted authorities of a file or text, PEM. @throws {SettingsError} for other content */
export const authorityIn = (name: SettingName, given: string): string => pemOf(authoritiesIn(name, given).kept);

/** The trusted authorities of a setting, PEM; undefined if not set. It warns of those left out. @throws {SettingsError} for a file of other content */
export function authorityOf(name: SettingName, setting: Input<string> | undefined): Input<string> | undefined {
  if (setting === undefined) return undefined;
  return derive(setting, (given) => {
    const { kept, crashing } = authoritiesIn(name, given);
    for (const each of crashing)
      void log.warn(`${name}: ${described(each)}, is left out. Its servers are not trusted. ${remedy}`);
    return pemOf(kept);
  });
}
