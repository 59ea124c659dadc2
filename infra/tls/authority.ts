import type { X509Certificate } from "node:crypto";
import type { Input } from "@pulumi/pulumi";
import { certificatesOf, pemOf } from "@routeql/contract/pem";
import { derive } from "../inputs.ts";
import { SettingsError } from "../settings/error.ts";
import type { SettingName } from "../settings/list.ts";
import { placeOf, readGiven } from "./given-file.ts";

/** The certificates of a setting. @throws {SettingsError} */
function authoritiesIn(name: SettingName, given: string): readonly X509Certificate[] {
  const read = readGiven(given, certificatesOf);
  if ("value" in read) return read.value;
  throw new SettingsError([{ name, place: placeOf(given), problem: read.problem }]);
}

/** The trusted authorities of a setting, PEM; undefined if not set. @throws {SettingsError} for a file of other content */
export function authorityOf(name: SettingName, setting: Input<string> | undefined): Input<string> | undefined {
  return setting === undefined ? undefined : derive(setting, (given) => pemOf(authoritiesIn(name, given)));
}
