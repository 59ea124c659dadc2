import { X509Certificate, createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { output, secret } from "@pulumi/pulumi";
import { SettingsError } from "../settings/error.ts";
import type { SettingsProblem } from "../settings/error.ts";
import type { GatewayCertificate } from "./certificate.ts";

const pemCertificate = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

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
