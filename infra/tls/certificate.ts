import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { getCACertificates } from "node:tls";
import { type Input, type Output, output, secret, unsecret } from "@pulumi/pulumi";
import { derive } from "../inputs.ts";
import { isPem } from "../settings/argument-problems.ts";
import { SettingsError, type SettingsProblem } from "../settings/error.ts";
import type { SettingName } from "../settings/list.ts";

const pemCertificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== undefined;
  } catch {
    return false;
  }
}

/** The content of a file: the text itself, or read from an absolute path. @returns undefined for a path that cannot be read */
const contentOf = (given: string): string | undefined =>
  isPem(given) ? given : attempt(() => readFileSync(given, "utf8"));

/** The place of a problem; never the text. */
const placeOf = (given: string): string => (isPem(given) ? "argument" : given);

/** The trusted authorities of a setting, PEM; undefined if not set. @throws {SettingsError} for a file of other content */
export function authorityOf(name: SettingName, setting: Input<string> | undefined): Input<string> | undefined {
  if (setting === undefined) return undefined;
  return derive(setting, (given) => {
    const refused = (problem: string): SettingsError => new SettingsError([{ name, place: placeOf(given), problem }]);
    const content = contentOf(given);
    if (content === undefined) throw refused("cannot be read");
    const blocks = content.match(pemCertificate) ?? [];
    if (blocks.length === 0 || !blocks.every(isCertificate)) throw refused("is not a certificate in PEM form");
    return `${blocks.join("\n")}\n`;
  });
}

/** A certificate that the cluster stores; the program does not read it. @param authority of an issuer that clients do not trust */
export const foreignCertificate = (authority: Input<string> = ""): GatewayCertificate => ({
  certificate: output(""),
  privateKey: secret(""),
  caCertificate: output(authority),
});

export interface GatewayCertificate {
  /** Certificate and chain, PEM. */
  readonly certificate: Output<string>;
  /** A Pulumi secret, PEM. */
  readonly privateKey: Output<string>;
  /** Certificates that clients must trust, PEM: the generated authority, your own, or the self-signed end of your chain; empty if clients trust it already. */
  readonly caCertificate: Output<string>;
}

function attempt<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

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
  const issuers = (trusted?.match(pemCertificate) ?? getCACertificates("default")).flatMap(
    (block) => attempt(() => new X509Certificate(block)) ?? [],
  );
  const isTrusted = issuers.some((issuer) => end.fingerprint256 === issuer.fingerprint256 || end.checkIssued(issuer));
  if (trusted !== undefined && isTrusted) return { caCertificate: trusted };
  if (trusted === undefined && (isTrusted || end.checkIssued(end)))
    return { caCertificate: end.checkIssued(end) ? `${end.toString().trim()}\n` : "" };
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

  const certificate = contentOf(certificateFile);
  const privateKey = contentOf(privateKeyFile);
  const blocks = certificate?.match(pemCertificate) ?? [];
  const chain = blocks.map((block) => attempt(() => new X509Certificate(block)));
  const key = privateKey === undefined ? undefined : attempt(() => createPrivateKey(privateKey));
  const [leaf] = chain;
  let caCertificate = "";

  if (certificate === undefined) wrong("tlsCertificateFile", certificateFile, "cannot be read");
  else if (leaf === undefined || chain.includes(undefined))
    wrong("tlsCertificateFile", certificateFile, "is not a certificate in PEM form");
  else {
    const ofChain = authorityOfChain(chain as X509Certificate[], authority);
    if ("caCertificate" in ofChain) ({ caCertificate } = ofChain);
    else wrong("tlsCertificateFile", certificateFile, ofChain.problem);
    const problem = leafProblem(leaf, publicHost, now);
    if (problem !== undefined) wrong("tlsCertificateFile", certificateFile, problem);
  }
  if (privateKey === undefined) wrong("tlsPrivateKeyFile", privateKeyFile, "cannot be read");
  else if (key === undefined)
    wrong("tlsPrivateKeyFile", privateKeyFile, "is not an unencrypted private key in PEM form");
  else if (leaf !== undefined && !leaf.checkPrivateKey(key))
    wrong("tlsPrivateKeyFile", privateKeyFile, "does not belong to the certificate");

  if (problems.length > 0 || certificate === undefined || privateKey === undefined) throw new SettingsError(problems);
  return { certificate, privateKey, caCertificate };
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
