/** PEM files as people have them (RFC 7468): several blocks, text around them, any line ends. This module returns only parsed blocks, encoded again. */
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";

/** The message is the end of a sentence that begins with the setting or the file. It never quotes the content. */
export class PemError extends Error {}

interface Block {
  readonly label: string;
  /** Line of its first marker, from 1. */
  readonly line: number;
  readonly body: string;
}

/** The base64 of `-----BEGIN `. */
const encodedBeginning = "LS0tLS1CRUdJTi";

/** The text of a file: UTF-8 or, as Windows PowerShell writes it, UTF-16, without a byte order mark. @throws {PemError} for a binary file */
export function textOfPem(content: Buffer): string {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(content);
  if (first === 0x30 && (second ?? 0) >= 0x80)
    throw new PemError(
      "is in binary form (DER, PKCS#7 or PKCS#12), not in PEM form. Convert it with `openssl x509 -inform DER`, `openssl pkey -inform DER`, `openssl pkcs7 -inform DER -print_certs` or `openssl pkcs12 -noenc`",
    );
  // Without a mark, as iconv writes it.
  if (second === 0) return new TextDecoder("utf-16le").decode(content);
  const text = new TextDecoder().decode(content);
  if (text.trimStart().startsWith(encodedBeginning))
    throw new PemError("is a PEM file in base64, as Secrets of Kubernetes have it. Decode it with `base64 -d`");
  return text;
}

/** All blocks in order, also where a line end is missing between two, or is written as `\n` or `\r\n`. @throws {PemError} with the line */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly label: string; readonly line: number; readonly from: number } | undefined;
  let line = 1;
  let counted = 0;
  for (const { 0: marker, 1: kind, 2: label, index } of text.matchAll(/-----(BEGIN|END) ([A-Z0-9 ]+)-----/g)) {
    line += text.slice(counted, index).match(/\r\n?|\n/g)?.length ?? 0;
    counted = index;
    if (kind === "BEGIN") {
      if (open !== undefined) throw unfinished(open);
      open = { label: label!, line, from: index + marker.length };
    } else {
      if (open === undefined) throw new PemError(`has the end of a block without its beginning in line ${line}`);
      if (open.label !== label) throw unfinished(open);
      blocks.push({ label, line: open.line, body: text.slice(open.from, index).replaceAll(/(?:\\r)?\\n/g, "\n") });
      open = undefined;
    }
  }
  if (open !== undefined) throw unfinished(open);
  if (blocks.length === 0 && /[\u2010-\u2015\u2212]-*(?:BEGIN|END) /.test(text))
    throw new PemError(
      "has other dashes than - around BEGIN or END, as word processors write them. Copy the original file",
    );
  return blocks;
}

const unfinished = ({ label, line }: Pick<Block, "label" | "line">): PemError =>
  new PemError(`has a block ${label} without its end in line ${line}. Copy the whole file again`);

const bytesOf = ({ label, line, body }: Block): Buffer => {
  const digits = body.replaceAll(/\s/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(digits))
    throw new PemError(`has a damaged block ${label} in line ${line}: it is not base64. Copy the whole file again`);
  return Buffer.from(digits, "base64");
};

/** The block in lines that OpenSSL reads. @throws {PemError} */
function blockOf(block: Block): string {
  const digits = bytesOf(block)
    .toString("base64")
    .match(/.{1,64}/g)!;
  return [`-----BEGIN ${block.label}-----`, ...digits, `-----END ${block.label}-----`, ""].join("\n");
}

const certificateLabels: ReadonlySet<string> = new Set(["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]);

/** The certificates of a text, each once; other blocks are ignored. @throws {PemError} without any, and for a damaged one */
export function certificatesOf(text: string): readonly X509Certificate[] {
  const blocks = blocksOf(text);
  const found = blocks
    .filter(({ label }) => certificateLabels.has(label))
    .map((block) => {
      const bytes = bytesOf(block);
      try {
        return new X509Certificate(bytes);
      } catch {
        throw new PemError(
          `has a damaged certificate in line ${block.line}: it cannot be read. Copy the whole file again`,
        );
      }
    });
  if (found.length > 0) return [...new Map(found.map((each) => [each.fingerprint256, each])).values()];
  const other = blocks.map(({ label }) => label).join(", ");
  const remedy = blocks.some(({ label }) => label === "PKCS7")
    ? ". Convert it with `openssl pkcs7 -print_certs`"
    : ". Its certificates must be in PEM form";
  throw new PemError(`has no block CERTIFICATE${other === "" ? "" : `, only ${other}`}${remedy}`);
}

/** Certificates as PEM, each with its line ends. */
export const pemOf = (certificates: readonly X509Certificate[]): string =>
  certificates.map((certificate) => `${certificate.toString().trim()}\n`).join("");

const encrypted = ({ label, body }: Block): boolean =>
  label === "ENCRYPTED PRIVATE KEY" || /Proc-Type:[^\n]*ENCRYPTED/.test(body);

/** OpenSSL and Go read a key by its content. Programs and people write another label over it. @throws Error of OpenSSL */
function keyOf(key: Buffer, block: Block): KeyObject {
  for (const type of ["pkcs8", "pkcs1", "sec1"] as const) {
    try {
      return createPrivateKey({ key, format: "der", type });
    } catch {
      continue;
    }
  }
  return createPrivateKey(blockOf(block));
}

/** The private keys of a text; other blocks are ignored. @throws {PemError} without any, for an encrypted and for a damaged one */
export function privateKeysOf(text: string): readonly KeyObject[] {
  const blocks = blocksOf(text);
  const keys = blocks.filter(({ label }) => label.endsWith("PRIVATE KEY"));
  if (keys.length === 0) {
    const other = blocks.map(({ label }) => label).join(", ");
    throw new PemError(
      `has no block PRIVATE KEY${other === "" ? "" : `, only ${other}`}. It must be an unencrypted private key in PEM form`,
    );
  }
  return keys.map((block) => {
    const { label, line } = block;
    if (encrypted(block))
      throw new PemError(
        `is encrypted (line ${line}). It must be an unencrypted private key in PEM form: \`openssl pkey -in FILE -out FILE.plain\``,
      );
    const bytes = bytesOf(block);
    try {
      return keyOf(bytes, block);
    } catch {
      throw new PemError(
        `has a block ${label} in line ${line} that is not a private key which OpenSSL reads. Convert it with \`openssl pkey\` or, for one of OpenSSH, \`ssh-keygen -p -m PEM\``,
      );
    }
  });
}

/** The public key of the first block with one: a key, or a certificate. @throws {PemError} */
export function publicKeyOf(text: string): KeyObject {
  const block = blocksOf(text).find(({ label }) => certificateLabels.has(label) || label.endsWith("PUBLIC KEY"));
  if (block === undefined)
    throw new PemError(
      "is not a PEM public key or certificate: it has no block such as -----BEGIN PUBLIC KEY-----. A key set (JWKS) needs jwk_url",
    );
  const pem = blockOf(certificateLabels.has(block.label) ? { ...block, label: "CERTIFICATE" } : block);
  try {
    return createPublicKey(pem);
  } catch {
    throw new PemError(`has a damaged block ${block.label} in line ${block.line}: it is no public key. Copy it again`);
  }
}

/** A private key as PEM (PKCS #8). */
export const pemOfKey = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }) as string;
