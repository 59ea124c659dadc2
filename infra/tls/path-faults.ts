/** Why clients refuse a certificate. OpenSSL gives the verdict (client-verdict.ts); this finds the certificate at fault, and the words. */
import type { X509Certificate } from "node:crypto";
import { keyKindOf } from "./key-kind.ts";

/** Name of a certificate's subject or issuer for an error: its common name, or all of it. */
export const nameOf = (name: string | undefined): string =>
  /(?:^|\n)CN=(.+)/.exec(name ?? "")?.[1] ?? (name ?? "without a name").replaceAll("\n", ", ");

export const isSelfSigned = (certificate: X509Certificate): boolean => issued(certificate, certificate);

const textOf = (name: string | undefined): string => (name ?? "").toLowerCase();

function issued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  // Node has no text for an empty name: certificates often have names in their extension only.
  if (textOf(issuer.subject) !== textOf(certificate.issuer)) return false;
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

/** More are no chain of an authority. */
const mostSteps = 10;
const mostPaths = 50;

export interface Path {
  /** The certificate first, each before its issuer. */
  readonly certificates: readonly X509Certificate[];
  /** Whether the last one is trusted; else its issuer is unknown, or it is a root that no client trusts. */
  readonly complete: boolean;
}

/** The ways from a certificate over known issuers, to the first trusted root of each. */
export function pathsFrom(
  leaf: X509Certificate,
  known: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
): readonly Path[] {
  const anchors = new Set(trusted.map(({ fingerprint256 }) => fingerprint256));
  const all = [...trusted, ...known];
  const paths: Path[] = [];
  const walk = (certificates: readonly X509Certificate[]): void => {
    const last = certificates.at(-1)!;
    if (paths.length >= mostPaths) return;
    // OpenSSL ends a path only at a root.
    if (anchors.has(last.fingerprint256) && isSelfSigned(last))
      return void paths.push({ certificates, complete: true });
    const seen = new Set(certificates.map(({ fingerprint256 }) => fingerprint256));
    const next = all.filter((each) => !seen.has(each.fingerprint256) && issued(each, last));
    if (next.length === 0 || certificates.length === mostSteps) paths.push({ certificates, complete: false });
    else for (const each of next) walk([...certificates, each]);
  };
  walk([leaf]);
  return paths;
}

const ended = ({ validToDate }: X509Certificate): string | undefined =>
  validToDate.getTime() > Date.now() ? undefined : `ended on ${validToDate.toISOString()}`;

const early = ({ validFromDate }: X509Certificate): string | undefined =>
  validFromDate.getTime() <= Date.now() ? undefined : `is not valid before ${validFromDate.toISOString()}`;

/** Why browsers or Go refuse a key. */
function refusedKey(certificate: X509Certificate, isTrusted: boolean): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength: bits = 0 } = {} } = certificate.publicKey;
  if (type === "rsa" && (bits < 2048 || (bits > 8192 && !isTrusted)))
    return `has a key of ${bits} bits, which clients refuse`;
  const { name, inBrowsers } = keyKindOf(certificate);
  return inBrowsers ? undefined : `has a key of the kind ${name}, which browsers refuse`;
}

const negativeNumber = ({ serialNumber }: X509Certificate): string | undefined =>
  serialNumber.startsWith("-") ? "has a negative serial number, which clients in Go refuse" : undefined;

const weakDigest = ({ signatureAlgorithm = "" }: X509Certificate): string | undefined =>
  /sha-?(1|224)(?![0-9])|md[245]/i.test(signatureAlgorithm)
    ? `is signed with ${signatureAlgorithm}, which clients refuse`
    : undefined;

/** Reasons for which clients and nginx refuse a certificate wherever it stands in a chain. */
export const faultsOf = (certificate: X509Certificate, isTrusted = false): readonly string[] =>
  [
    ended(certificate),
    early(certificate),
    refusedKey(certificate, isTrusted),
    isTrusted ? undefined : negativeNumber(certificate),
    isTrusted || isSelfSigned(certificate) ? undefined : weakDigest(certificate),
  ].filter((fault) => fault !== undefined);

const serverUse = "1.3.6.1.5.5.7.3.1";

function faultsOfPath({ certificates }: Path): readonly string[] {
  return certificates.flatMap((certificate, index) => {
    const { subject, keyUsage, ca } = certificate;
    const faults = [...faultsOf(certificate, index > 0 && index === certificates.length - 1)];
    if ((keyUsage as readonly string[] | undefined)?.includes(serverUse) === false)
      faults.push("is not for servers by its extended key usage");
    const below = certificates[index - 1];
    if (below !== undefined && (!ca || !below.checkIssued(certificate)))
      faults.push(`may not issue certificates, but issued ${nameOf(below.subject)}`);
    const remedy =
      index === 0
        ? "Order a new certificate"
        : "Replace it by the current one of your authority, or order a new certificate";
    return faults.map((fault) => `has the certificate ${nameOf(subject)}, which ${fault}. ${remedy}`);
  });
}

/** Where an authority publishes its certificate (RFC 5280, 4.2.2.1). */
const publishedAt = ({ infoAccess }: X509Certificate): string =>
  /CA Issuers - URI:(\S+)/.exec(infoAccess ?? "")?.[1]?.replace(/^/, ", which ") ?? "";

function openEnd({ certificates }: Path, setting: string): string {
  const end = certificates.at(-1)!;
  if (isSelfSigned(end))
    return `ends in the authority ${nameOf(end.subject)}, which is not in ${setting}. Add its certificate to that file`;
  const url = publishedAt(end);
  const from = url === "" ? "" : `${url} has in binary form`;
  return `lacks the intermediate certificate ${nameOf(end.issuer)}. Append it to the file${from}; if it is the authority itself, add it to the file of ${setting}`;
}

/** The ways with the fewest faults to a root first, then the longest of the others. */
export const bestFirst = (paths: readonly Path[]): readonly Path[] =>
  paths.toSorted(
    (left, right) =>
      Number(right.complete) - Number(left.complete) ||
      (left.complete
        ? faultsOfPath(left).length - faultsOfPath(right).length
        : right.certificates.length - left.certificates.length),
  );

/** Why clients refuse a certificate, as the end of a sentence; undefined if nothing is found. @param setting names the trusted authorities */
export function explainRefusal(
  leaf: X509Certificate,
  known: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  setting: string,
): string | undefined {
  const best = bestFirst(pathsFrom(leaf, known, trusted))[0]!;
  if (best.complete || faultsOf(leaf).length > 0) return faultsOfPath(best)[0];
  return openEnd(best, setting);
}
