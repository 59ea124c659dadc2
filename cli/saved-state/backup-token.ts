/** Authenticates complete backups. The machine has the token beside the recipient's certificate; the operator derives it from the private key. */
import { createHash, createHmac, createPrivateKey, type Hmac, timingSafeEqual } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { textOfPem } from "@routeql/contract/pem";
import { Failure, messageOf } from "@routeql/host/failure";

/** The token in a recipient file: a line with the SHA-256 of the private key in DER; undefined in a file with a certificate alone. */
export async function tokenOfRecipient(file: string): Promise<Buffer | undefined> {
  const content = await readFile(file).catch((error: unknown) => {
    throw new Failure(`--recipient ${file} cannot be read: ${messageOf(error)}`, {
      remedy: "docs/operate/backup.md shows the commands that create it.",
      cause: error,
    });
  });
  const [, token] = /^([0-9a-f]{64})$/m.exec(textOfPem(content)) ?? [];
  if (token !== undefined && ((await stat(file)).mode & 0o077) !== 0)
    throw new Failure(`--recipient ${file} has a token, and other users can read or write it`, {
      remedy: `chmod 600 ${file}. If others had access, create a new key and recipient file (docs/operate/backup.md).`,
    });
  return token === undefined ? undefined : Buffer.from(token, "hex");
}

/** @param file PEM file of the recipient's private key */
export async function tokenOfKey(file: string): Promise<Buffer> {
  try {
    const key = createPrivateKey(await readFile(file));
    return createHash("sha256")
      .update(key.export({ type: "pkcs8", format: "der" }))
      .digest();
  } catch (error) {
    throw new Failure(`--key ${file} is not a readable private key: ${messageOf(error)}`, {
      remedy: "--key is the private key of the certificate that the backup was written for.",
      cause: error,
    });
  }
}

export const authenticator = (token: Buffer): Hmac => createHmac("sha256", token);

/** Adds an entry's name and length, so that no content can move to another entry. */
export const addEntry = (hmac: Hmac, name: string, bytes: number): Hmac => hmac.update(`${name}\0${bytes}\0`);

export const isSame = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);
