import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { type Output, output, secret } from "@pulumi/pulumi";
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

/**
 * The trusted certificate authorities in a file; undefined without a file.
 * @param name the setting that names the file
 * @param folder base of relative paths
 * @throws {SettingsError} if the file cannot be read or contains anything else
 */
export function authorityOf(name: SettingName, file: string | undefined, folder: string): string | undefined {
  if (file === undefined) return undefined;
  const refused = (problem: string): SettingsError => new SettingsError([{ name, place: file, problem }]);
  let content: string;
  try {
    content = readFileSync(resolve(folder, file), "utf8");
  } catch {
    throw refused("cannot be read");
  }
  const blocks = content.match(pemCertificate) ?? [];
  if (blocks.length === 0 || !blocks.every(isCertificate)) throw refused("is not a certificate in PEM form");
  return `${blocks.join("\n")}\n`;
}

/**
 * A certificate that the cluster creates and stores; the program does not read it. Clients already trust its issuer, so the program
 * returns no authority.
 */
export const foreignCertificate: GatewayCertificate = {
  certificate: output(""),
  privateKey: secret(""),
  caCertificate: output(""),
};

/** The gateway's certificate. */
export interface GatewayCertificate {
  /** Certificate and chain, PEM. */
  readonly certificate: Output<string>;
  /** A Pulumi secret, PEM. */
  readonly privateKey: Output<string>;
  /** Certificate that clients must trust, PEM: the generated authority, or the end of your chain; empty for a certificate from the cluster. */
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

export interface OwnCertificateFiles {
  readonly certificateFile: string;
  readonly privateKeyFile: string;
  readonly publicHost: string;
  /** Base of relative paths. */
  readonly folder: string;
}

/**
 * Reads a certificate and its key from files and validates that they belong together, are valid now and cover
 * the public name.
 * @throws {SettingsError} with all problems; never quotes the files.
 */
export function ownCertificate(
  { certificateFile, privateKeyFile, publicHost, folder }: OwnCertificateFiles,
  now = new Date(),
): GatewayCertificate {
  const problems: SettingsProblem[] = [];
  const wrong = (name: string, place: string, problem: string): void => void problems.push({ name, place, problem });

  const certificate = attempt(() => readFileSync(resolve(folder, certificateFile), "utf8"));
  const privateKey = attempt(() => readFileSync(resolve(folder, privateKeyFile), "utf8"));
  const blocks = certificate?.match(pemCertificate) ?? [];
  const chain = blocks.map((block) => attempt(() => new X509Certificate(block)));
  const key = privateKey === undefined ? undefined : attempt(() => createPrivateKey(privateKey));
  const [leaf] = chain;

  if (certificate === undefined) wrong("tlsCertificateFile", certificateFile, "cannot be read");
  else if (leaf === undefined || chain.includes(undefined))
    wrong("tlsCertificateFile", certificateFile, "is not a certificate in PEM form");
  else {
    const problem = leafProblem(leaf, publicHost, now);
    if (problem !== undefined) wrong("tlsCertificateFile", certificateFile, problem);
  }
  if (privateKey === undefined) wrong("tlsPrivateKeyFile", privateKeyFile, "cannot be read");
  else if (key === undefined)
    wrong("tlsPrivateKeyFile", privateKeyFile, "is not an unencrypted private key in PEM form");
  else if (leaf !== undefined && !leaf.checkPrivateKey(key))
    wrong("tlsPrivateKeyFile", privateKeyFile, "does not belong to the certificate");

  if (problems.length > 0 || certificate === undefined || privateKey === undefined) throw new SettingsError(problems);
  return {
    certificate: output(certificate),
    privateKey: secret(privateKey),
    caCertificate: output(`${blocks.at(-1)}\n`),
  };
}
