import type { X509Certificate } from "node:crypto";
import type { Input } from "@pulumi/pulumi";
import { certificatesOf, pemOf } from "@routeql/contract/pem";
import { derive } from "../inputs.ts";
import { SettingsError } from "../settings/reading/error.ts";
import type { SettingName } from "../settings/list.ts";
import { placeOf, readGiven } from "./given-file.ts";
import { nameOf } from "./path-faults.ts";

/** Former certificates may stay in a file beside the current one. */
function endedProblem(certificates: readonly X509Certificate[]): string | undefined {
  const last = certificates.toSorted((left, right) => right.validToDate.getTime() - left.validToDate.getTime())[0]!;
  if (last.validToDate.getTime() > Date.now()) return undefined;
  return `has no valid certificate: ${nameOf(last.subject)} ended on ${last.validToDate.toISOString()}. Add the current one of the authority`;
}

/** The certificates of a setting. @throws {SettingsError} */
function authoritiesIn(name: SettingName, given: string): readonly X509Certificate[] {
  const read = readGiven(given, certificatesOf);
  const problem = "problem" in read ? read.problem : endedProblem(read.value);
  if ("value" in read && problem === undefined) return read.value;
  throw new SettingsError([{ name, place: placeOf(given), problem: problem! }]);
}

/** The trusted authorities of a setting, PEM; undefined if not set. @throws {SettingsError} for a file of other content */
export function authorityOf(name: SettingName, setting: Input<string> | undefined): Input<string> | undefined {
  return setting === undefined ? undefined : derive(setting, (given) => pemOf(authoritiesIn(name, given)));
}
