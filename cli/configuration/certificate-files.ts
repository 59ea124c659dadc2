/** The files of the gateway's own certificate on this machine: the next update reads them, and a renewal replaces them. */
import { messageOf } from "@routeql/host/failure";
import { SettingsError } from "@routeql/infra/settings/reading/error";
import type { PlainSettings } from "@routeql/infra/settings/list";
import { authorityIn } from "@routeql/infra/tls/authority";
import { checkedCertificate } from "@routeql/infra/tls/own-certificate";
import { shellQuote } from "../access/access.ts";
import { stackArgument } from "../foundation/command.ts";
import { isReadableBy, withoutModes } from "../status/private-files.ts";
import type { Problem } from "../status/report.ts";
import { readConfiguration } from "./configuration.ts";

type CertificateSettings = Pick<PlainSettings, "tlsCertificateFile" | "tlsPrivateKeyFile" | "tlsCaFile" | "publicHost">;
type Check = (given: Parameters<typeof checkedCertificate>[0]) => unknown;

/** Problems of the files that an update would refuse, and a private key that other users can read. A group may have the key. */
export async function certificateFileProblems(
  settings: CertificateSettings,
  stack: string,
  check: Check = checkedCertificate,
): Promise<Problem[]> {
  const { tlsCertificateFile: certificateFile, tlsPrivateKeyFile: privateKeyFile, tlsCaFile, publicHost } = settings;
  if (certificateFile === undefined || privateKeyFile === undefined) return [];
  const readable = {
    subject: "files",
    reason: `other users of this machine can read the private key ${privateKeyFile}`,
    next: `chmod o= ${shellQuote(privateKeyFile)}; ${withoutModes("file")}`,
  };
  const isReadable = await isReadableBy("others", privateKeyFile);
  const subject = "certificate files";
  try {
    const authority = tlsCaFile === undefined ? undefined : authorityIn("tlsCaFile", tlsCaFile);
    check({ certificateFile, privateKeyFile, publicHost, authority });
    return isReadable ? [readable] : [];
  } catch (error) {
    const next = "renew or correct the files: docs/operate/tls.md#renewal";
    const refused =
      error instanceof SettingsError
        ? error.problems.map(({ name, problem }) => ({
            subject,
            reason: `the next update refuses ${name}: it ${problem}`,
            next,
          }))
        : [
            {
              subject,
              reason: `cannot be checked: ${messageOf(error)}`,
              next: `npm run preview${stackArgument(stack)}`,
            },
          ];
    return [...(isReadable ? [readable] : []), ...refused];
  }
}

const authorities = ["authoritiesFile", "databaseCaFile", "ldapCaFile", "sessionsCaFile", "backupCaFile"] as const;

/** Files of authorities that an update would refuse. */
export const authorityFileProblems = (
  settings: Partial<Pick<PlainSettings, (typeof authorities)[number]>>,
): Problem[] =>
  authorities.flatMap((name) => {
    const file = settings[name];
    try {
      if (file !== undefined) authorityIn(name, file);
      return [];
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      return error.problems.map(({ problem }) => ({
        subject: "certificate files",
        reason: `the next update refuses ${name}: it ${problem}`,
        next: "renew or correct the file: docs/operate/your-files.md#certificates",
      }));
    }
  });

interface CheckedFiles {
  /** Undefined for settings that are refused. */
  readonly settings: PlainSettings | undefined;
  readonly problems: readonly Problem[];
}

/** The same for a stack with its settings, or those that the next update refuses, such as the name of a file that is lost. */
export const checkedFilesOf = (stack: string): Promise<CheckedFiles> =>
  readConfiguration(stack).then(
    async ({ plain }) => ({
      settings: plain,
      problems: [...(await certificateFileProblems(plain, stack)), ...authorityFileProblems(plain)],
    }),
    (error: unknown) => ({ settings: undefined, problems: refusedSettings(error) }),
  );

/** Settings that no file has, such as the public name, may be given to the update itself. */
export function refusedSettings(error: unknown): Problem[] {
  const { cause } = error as Error;
  if (!(cause instanceof SettingsError)) return [];
  return cause.problems
    .filter(({ name, place }) => name === "environmentFile" || /, line \d+$|^stack configuration$/.test(place))
    .map(({ name, place, problem }) => ({
      subject: "settings",
      reason: `the next update refuses ${name} (${place}): it ${problem}`,
      next: "correct it: docs/reference/settings.md",
    }));
}
