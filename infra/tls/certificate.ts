import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Output, output, secret } from "@pulumi/pulumi";
import { SettingsError } from "../settings/error.ts";
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
