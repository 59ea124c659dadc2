import type { KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { getCACertificates, rootCertificates } from "node:tls";
import { type Input, log, output, secret, unsecret } from "@pulumi/pulumi";
import { certificatesOf, pemOf, pemOfKey, privateKeysOf } from "@routeql/contract/pem";
import { derive } from "../inputs.ts";
import { SettingsError, type SettingsProblem } from "../settings/reading/error.ts";
import type { GatewayCertificate } from "./certificate.ts";
import { clientVerdicts } from "./client-verdict.ts";
import { placeOf, readGiven } from "./given-file.ts";
import { appleFault, faultOfLeaf } from "./leaf-faults.ts";
import { bestFirst, explainRefusal, faultsOf, isSelfSigned, nameOf, pathsFrom } from "./path-faults.ts";

/** Whether clients find the name in the certificate: they read no common name. */
const covers = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) === 0
    ? certificate.checkHost(host, { subject: "never", partialWildcards: false })
    : certificate.checkIP(host)) !== undefined;

function nameProblem(leaf: X509Certificate, host: string): string | undefined {
  if (covers(leaf, host)) return undefined;
  const names = leaf.subjectAltName;
  const remedy = `Order one with this name, or set publicHost to one of its names`;
  return names === undefined
    ? `has the certificate ${nameOf(leaf.subject)} without a subject alternative name, and clients read no common name. Order one with the name ${host}`
    : `has a certificate for ${names.slice(0, 200)}, not for publicHost, ${host}. ${remedy}`;
}

interface Pair {
  readonly leaf: X509Certificate;
  readonly key: KeyObject;
}

/** The certificate of the key, wherever it stands in the file. Of several: the one for the host, then the newest. */
function pairOf(certificates: readonly X509Certificate[], keys: readonly KeyObject[], host: string): Pair | undefined {
  const pairs = certificates.flatMap((leaf) =>
    keys.filter((key) => leaf.checkPrivateKey(key)).map((key) => ({ leaf, key })),
  );
  const rank = ({ leaf }: Pair): number => Number(covers(leaf, host)) * 2 + Number(faultsOf(leaf).length === 0);
  return pairs.toSorted(
    (left, right) => rank(right) - rank(left) || right.leaf.validToDate.getTime() - left.leaf.validToDate.getTime(),
  )[0];
}

/**
 * The certificate and its issuers in the file, without roots and without those that clients or nginx refuse. The best way to a trusted root is
 * first: OpenSSL takes the first issuer of a name, and tries no other one.
 */
function chainOf(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
): readonly X509Certificate[] {
  const ways = bestFirst(pathsFrom(leaf, others, trusted)).map(({ certificates }) => certificates);
  const given = new Set(others.map(({ fingerprint256 }) => fingerprint256));
  const issuers = new Map(ways.flat().map((each) => [each.fingerprint256, each]));
  issuers.delete(leaf.fingerprint256);
  const sent = [...issuers.values()].filter(
    (each) => given.has(each.fingerprint256) && !isSelfSigned(each) && faultsOf(each).length === 0,
  );
  return [leaf, ...sent];
}

interface Trust {
  /** PEM. */
  readonly trusted: readonly string[];
  /** PEM that clients must trust besides their own list, given the anchor of the path. */
  readonly told: (anchor: () => string) => string;
}

/** Authorities by which clients may accept the certificate, the first that succeeds is the one. */
function trusts(authority: string | undefined, certificates: readonly X509Certificate[]): readonly Trust[] {
  if (authority !== undefined) return [{ trusted: [authority], told: () => authority }];
  const roots = certificates.filter(isSelfSigned).map((each) => pemOf([each]));
  return [
    { trusted: rootCertificates, told: () => "" },
    // Those of this machine and of NODE_EXTRA_CA_CERTS.
    { trusted: getCACertificates("default"), told: (anchor) => anchor() },
    ...roots.map((root) => ({ trusted: [root], told: () => root })),
  ];
}

export interface OwnCertificate {
  /** Authorities that clients trust, PEM. */
  readonly authority?: string | undefined;
  /** PEM text, or an absolute path, of the certificate and of its key. */
  readonly certificateFile: string;
  readonly privateKeyFile: string;
  readonly publicHost: string;
}

interface Checked {
  /** The certificate and its chain, PEM. */
  readonly certificate: string;
  readonly privateKey: string;
  readonly caCertificate: string;
}

/** The files as the gateway gets them, if a client accepts them that knows the public name and the authority. */
function accepted(
  { leaf, key }: Pair,
  certificates: readonly X509Certificate[],
  authority: string | undefined,
): Checked | { readonly problem: string } {
  const fault = faultOfLeaf(leaf);
  if (fault !== undefined) return { problem: fault };
  const others = certificates.filter((each) => each !== leaf);
  const privateKey = pemOfKey(key);
  const possible = trusts(authority, certificates).map((trust) => {
    const given = certificatesOf(trust.trusted.join("\n"));
    const parsed = given.filter((each) => faultsOf(each, true).length === 0);
    const trusted = parsed.map((each) => pemOf([each]));
    return { ...trust, given, parsed, trusted, certificate: pemOf(chainOf(leaf, others, parsed)) };
  });
  const verdicts =
    faultsOf(leaf).length > 0 ? ["faulty"] : clientVerdicts(possible.map((each) => ({ ...each, privateKey })));
  const by = possible[verdicts.indexOf(undefined)];
  if (by !== undefined) {
    const anchor = (): string => {
      const [way] = bestFirst(pathsFrom(leaf, others, by.parsed));
      return way?.complete === true ? pemOf(way.certificates.slice(-1)) : "";
    };
    return { certificate: by.certificate, privateKey, caCertificate: by.told(anchor) };
  }
  const found = explainRefusal(leaf, others, possible.at(-1)!.given, "tlsCaFile");
  return {
    problem: found ?? `is refused by clients: ${verdicts.at(-1)}. \`openssl verify\` with the same files shows more`,
  };
}

/** Reads a certificate and its key as they are used, if clients accept them. @throws {SettingsError} that never quotes the files. */
export function checkedCertificate({
  certificateFile,
  privateKeyFile,
  publicHost,
  authority,
}: OwnCertificate): Checked {
  const problems: SettingsProblem[] = [];
  const wrong = (name: string, given: string, problem: string | undefined): void =>
    void (problem !== undefined && problems.push({ name, place: placeOf(given), problem }));

  const certificates = readGiven(certificateFile, certificatesOf);
  const keys = readGiven(privateKeyFile, privateKeysOf);
  if ("problem" in certificates) wrong("tlsCertificateFile", certificateFile, certificates.problem);
  if ("problem" in keys) wrong("tlsPrivateKeyFile", privateKeyFile, keys.problem);
  if ("problem" in certificates || "problem" in keys) throw new SettingsError(problems);

  const pair = pairOf(certificates.value, keys.value, publicHost);
  const leaf = pair?.leaf ?? certificates.value[0]!;
  wrong("tlsCertificateFile", certificateFile, nameProblem(leaf, publicHost));
  const checked = pair && accepted(pair, certificates.value, authority);
  if (checked === undefined)
    wrong(
      "tlsPrivateKeyFile",
      privateKeyFile,
      `does not belong to the certificate ${nameOf(leaf.subject)}. Name the key with which it was ordered`,
    );
  else if ("problem" in checked) wrong("tlsCertificateFile", certificateFile, checked.problem);
  if (problems.length > 0 || checked === undefined || "problem" in checked) throw new SettingsError(problems);
  return checked;
}

function checkedWithWarning(given: OwnCertificate): Checked {
  const checked = checkedCertificate(given);
  const fault = appleFault(certificatesOf(checked.certificate)[0]!);
  if (fault !== undefined)
    void log.warn(
      `tlsCertificateFile: ${fault}, so Safari and other programs of macOS and iOS refuse it. Order a new certificate if you have such clients`,
    );
  return checked;
}

/** Your own certificate, checked as soon as it, its key and the public name are known. */
export function ownCertificate(given: {
  readonly [Name in keyof OwnCertificate]: Input<OwnCertificate[Name]>;
}): GatewayCertificate {
  const known = output(derive(given, (each) => checkedWithWarning(each)));
  return {
    certificate: unsecret(known.certificate),
    privateKey: secret(known.privateKey),
    caCertificate: unsecret(known.caCertificate),
  };
}
