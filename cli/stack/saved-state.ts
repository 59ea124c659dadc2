import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificatesOf, PemError, pemOf, textOfPem } from "@routeql/contract/pem";
import { Failure, messageOf } from "@routeql/host/failure";
import { projectFolder } from "@routeql/host/paths";
import { run } from "@routeql/host/process";
import cliPackage from "../package.json" with { type: "json" };

/** The state of a stack in a backup, with its secrets and settings. Only the holder of the recipient's private key can read it. */
export interface SavedState {
  /** Of the checkout. */
  readonly version: string;
  /** A gzipped tar, encrypted in CMS. */
  readonly content: Buffer;
}

/** Calls with the name of a file that is unreadable for others, and deletes it afterwards. */
async function withPrivateFile<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "routeql-state-"));
  try {
    return await work(join(folder, "state"));
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

/** @param recipient PEM file of an X.509 certificate */
export async function encryptState(stack: string, recipient: string): Promise<SavedState> {
  const certificate = await recipientOf(recipient);
  return withPrivateFile(async (file) => {
    await writeFile(`${file}.pem`, certificate);
    const files = [`.routeql/${stack}`, `Pulumi.${stack}.yaml`, `.env.${stack}`, ".env"];
    const without = ["logs", "workspace", "run.lock"].map((name) => `--exclude=.routeql/${stack}/${name}`);
    const present = files.filter((name) => existsSync(join(projectFolder, name)));
    await run("tar", ["--create", "--gzip", "--file", file, "--directory", projectFolder, ...without, ...present]);
    await run("openssl", [...cms("-encrypt", file, `${file}.cms`), "-aes-256-gcm", `${file}.pem`], {
      remedy: "--recipient is the PEM file of a certificate; docs/operate/backup.md shows the command that creates it.",
    });
    return { version: cliPackage.version, content: await readFile(`${file}.cms`) };
  });
}

/** Writes a saved state into this checkout. @param key PEM file of the recipient's key @throws Failure if it does not fit */
export async function unpackState(stack: string, { version, content }: SavedState, key: string): Promise<void> {
  if (version !== cliPackage.version)
    throw new Failure(`The backup comes from version ${version}, and this checkout has ${cliPackage.version}`, {
      remedy: `check out version ${version}, restore, then upgrade.`,
    });
  await withPrivateFile(async (file) => {
    await writeFile(`${file}.cms`, content, { mode: 0o600 });
    await run("openssl", [...cms("-decrypt", `${file}.cms`, file), "-inkey", key], {
      remedy: "--key is the private key of the certificate that the backup was written for.",
    });
    const unpack = ["--extract", "--gzip", "--file", file, "--directory", projectFolder, "--keep-old-files"];
    await run("tar", unpack, { remedy: "move the named files of this checkout away, then run the restore again." });
  });
}
