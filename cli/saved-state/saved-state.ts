import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificatesOf, PemError, pemOf, textOfPem } from "@routeql/contract/pem";
import { Failure, messageOf } from "@routeql/host/failure";
import { projectFolder } from "@routeql/host/paths";
import { run } from "@routeql/host/process";
import cliPackage from "../package.json" with { type: "json" };
import { tokenOfRecipient } from "./backup-token.ts";
import { moveInto, stateFiles, unpackInto } from "./state-files.ts";

/** The state of a stack in a backup, with its secrets and settings. Only the holder of the recipient's private key can read it. */
export interface SavedState {
  /** Of the checkout. */
  readonly version: string;
  /** A gzipped tar, encrypted in CMS. */
  readonly content: Buffer;
  /** Authenticates the backup; undefined for a recipient file without one. */
  readonly token?: Buffer | undefined;
}

/** Calls with the name of a private folder, and deletes it afterwards. */
async function withPrivateFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "routeql-state-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const cms = (direction: "-encrypt" | "-decrypt", from: string, to: string): string[] =>
  `cms ${direction} -binary -${direction === "-encrypt" ? "out" : "in"}form DER`
    .split(" ")
    .concat("-in", from, "-out", to);

/** The first certificate of a PEM file, as OpenSSL takes it. @throws Failure for a file of other content */
export async function recipientOf(path: string): Promise<string> {
  try {
    return pemOf(certificatesOf(textOfPem(await readFile(path))).slice(0, 1));
  } catch (error) {
    const reason = error instanceof PemError ? error.message : `cannot be read (${messageOf(error)})`;
    throw new Failure(`The file of --recipient, ${path}, ${reason}`, {
      remedy: "name the PEM file of a certificate; docs/operate/backup.md shows the command that creates it.",
      cause: error,
    });
  }
}

/** @param recipient PEM file of an X.509 certificate, with the line of the token */
export async function encryptState(stack: string, recipient: string): Promise<SavedState> {
  const certificate = await recipientOf(recipient);
  const token = await tokenOfRecipient(recipient);
  if (token === undefined)
    console.error(
      `The backup cannot be authenticated: ${recipient} has no line with a token. A restore of its state will need --unauthenticated. ` +
        "docs/operate/backup.md#every-night has the command that adds the line.",
    );
  return withPrivateFolder(async (folder) => {
    const file = join(folder, "state");
    await writeFile(`${file}.pem`, certificate);
    const present = stateFiles(stack).filter((name) => existsSync(join(projectFolder, name)));
    // A settings file may be a symbolic link; a restore writes regular files only.
    const options = ["--create", "--gzip", "--dereference", "--hard-dereference", "--file", file];
    await run("tar", [...options, "--directory", projectFolder, ...present]);
    await run("openssl", [...cms("-encrypt", file, `${file}.cms`), "-aes-256-gcm", `${file}.pem`], {
      remedy: "--recipient is the PEM file of a certificate; docs/operate/backup.md shows the command that creates it.",
    });
    return { version: cliPackage.version, content: await readFile(`${file}.cms`), token };
  });
}

/**
 * Writes a saved state into a checkout, all files or none.
 * @param key PEM file of the recipient's key @returns the names of its files @throws Failure if it does not fit
 */
export async function unpackState(
  stack: string,
  { version, content }: SavedState,
  key: string,
  project = projectFolder,
): Promise<readonly string[]> {
  if (version !== cliPackage.version)
    throw new Failure(`The backup comes from version ${version}, and this checkout has ${cliPackage.version}`, {
      remedy: `check out version ${version}, restore, then upgrade.`,
    });
  return withPrivateFolder(async (folder) => {
    const file = join(folder, "state");
    await writeFile(`${file}.cms`, content, { mode: 0o600 });
    await run("openssl", [...cms("-decrypt", `${file}.cms`, file), "-inkey", key], {
      remedy: "--key is the private key of the certificate that the backup was written for.",
    });
    const unpacked = join(folder, "unpacked");
    await mkdir(unpacked, { mode: 0o700 });
    const names = await unpackInto(unpacked, file, stack);
    await moveInto(project, unpacked, names);
    return names;
  });
}
