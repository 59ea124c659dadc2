import { type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { getCACertificates } from "node:tls";
import { type Input, output, secret, unsecret } from "@pulumi/pulumi";
import { certificatesOf, pemOf, pemOfKey, privateKeysOf } from "@routeql/contract/pem";
import { derive } from "../inputs.ts";
import { SettingsError, type SettingsProblem } from "../settings/error.ts";
import type { GatewayCertificate } from "./certificate.ts";
import { placeOf, readGiven } from "./given-file.ts";

function leafProblem(leaf: X509Certificate, host: string, now: Date): string | undefined {
  if (leaf.validToDate <= now) return `expired on ${leaf.validToDate.toISOString()}`;
  if (leaf.validFromDate > now) return `is not valid before ${leaf.validFromDate.toISOString()}`;
  const covered = isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host);
  if (covered === undefined) return `is not for publicHost, ${host}`;
  return undefined;
}

/** Name of a certificate's subject or issuer for an error: its common name, or all of it. */
const nameOf = (name: string): string => /(?:^|\n)CN=(.+)/.exec(name)?.[1] ?? name.replaceAll("\n", ", ");

/** The authority of a chain, or why there is no path to one. @param trusted of the deployment; else self-signed or Node.js' own */
function authorityOfChain(
  chain: readonly X509Certificate[],
  trusted: string | undefined,
): { readonly caCertificate: string } | { readonly problem: string } {
  for (const [index, certificate] of chain.entries()) {
    const next = chain[index + 1];
    if (next !== undefined && !certificate.checkIssued(next))
      return {
        problem: `lacks the intermediate certificate ${nameOf(certificate.issuer)}: the file must have each certificate before its issuer`,
      };
  }
  const end = chain.at(-1)!;
  const issuers =
    trusted === undefined
      ? getCACertificates("default").map((pem) => new X509Certificate(pem))
      : certificatesOf(trusted);
  const isTrusted = issuers.some((issuer) => end.fingerprint256 === issuer.fingerprint256 || end.checkIssued(issuer));
  if (trusted !== undefined && isTrusted) return { caCertificate: trusted };
  if (trusted === undefined && (isTrusted || end.checkIssued(end)))
    return { caCertificate: end.checkIssued(end) ? pemOf([end]) : "" };
  return {
    problem: `lacks the intermediate certificate ${nameOf(end.issuer)}. Append it to the file; if it is the authority itself, name its file in tlsCaFile`,
  };
}

export interface OwnCertificate {
  /** Authorities that clients trust, PEM. */
  readonly authority?: string | undefined;
  /** PEM text, or an absolute path, of the certificate and of its key. */
  readonly certificateFile: string;
  readonly privateKeyFile: string;
  readonly publicHost: string;
}

/** Reads a certificate and its key and checks that they serve the public name. @throws {SettingsError} that never quotes the files. */
export function checkedCertificate(
  { certificateFile, privateKeyFile, publicHost, authority }: OwnCertificate,
  now = new Date(),
): { readonly certificate: string; readonly privateKey: string; readonly caCertificate: string } {
  const problems: SettingsProblem[] = [];
  const wrong = (name: string, given: string, problem: string): void =>
    void problems.push({ name, place: placeOf(given), problem });

  const certificates = readGiven(certificateFile, certificatesOf);
  const keys = readGiven(privateKeyFile, privateKeysOf);
  const chain = "value" in certificates ? certificates.value : [];
  const [leaf] = chain;
  let key: KeyObject | undefined;
  let caCertificate = "";

  if ("problem" in certificates) wrong("tlsCertificateFile", certificateFile, certificates.problem);
  else if (leaf !== undefined) {
    const ofChain = authorityOfChain(chain, authority);
    if ("caCertificate" in ofChain) ({ caCertificate } = ofChain);
    else wrong("tlsCertificateFile", certificateFile, ofChain.problem);
    const problem = leafProblem(leaf, publicHost, now);
    if (problem !== undefined) wrong("tlsCertificateFile", certificateFile, problem);
  }
  if ("problem" in keys) wrong("tlsPrivateKeyFile", privateKeyFile, keys.problem);
  else if (leaf !== undefined) {
    key = keys.value.find((each) => leaf.checkPrivateKey(each));
    if (key === undefined) wrong("tlsPrivateKeyFile", privateKeyFile, "does not belong to the certificate");
  }

  if (problems.length > 0 || key === undefined) throw new SettingsError(problems);
  // Only the blocks that were checked: the file may also contain the key, which must not reach a place that others can read.
  return { certificate: pemOf(chain), privateKey: pemOfKey(key), caCertificate };
}

/** Your own certificate, checked as soon as it, its key and the public name are known. */
export function ownCertificate(given: {
  readonly [Name in keyof OwnCertificate]: Input<OwnCertificate[Name]>;
}): GatewayCertificate {
  const known = output(derive(given, (each) => checkedCertificate(each)));
  return {
    certificate: unsecret(known.certificate),
    privateKey: secret(known.privateKey),
    caCertificate: unsecret(known.caCertificate),
  };
}
