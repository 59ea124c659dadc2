/** Pulumi's release archive of the CLI: downloaded from Pulumi's site and compared with its pinned SHA-256. Pulumi's installer never runs. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Failure, messageOf } from "@routeql/host/failure";
import type { Work } from "@routeql/host/work";
import { programs } from "@routeql/pins/pins";
import { extract } from "tar-stream";

export interface Release {
  readonly version: string;
  readonly url: string;
  /** SHA-256 of the archive, in hexadecimal. */
  readonly sha256: string;
  /** The download fails after this time without a byte. */
  readonly silenceMilliseconds: number;
}

/** The program in the archive; beside it are language hosts, which the kit does not need: its programs run in the process of the command. */
const entryName = "pulumi/pulumi";

/** The archives have about 100 MB. */
const mostBytes = 500_000_000;

/** The pinned release for a platform, in Node's names; undefined for one without a pinned hash. */
export function pinnedRelease(
  platform: string = process.platform,
  architecture: string = process.arch,
): Release | undefined {
  const { version, sha256 } = programs.pulumiArchive;
  const name = `${platform}-${architecture}`;
  const hash = (sha256 as Readonly<Record<string, string | undefined>>)[name];
  if (hash === undefined) return undefined;
  const url = `https://get.pulumi.com/releases/sdk/pulumi-v${version}-${name}.tar.gz`;
  return { version, url, sha256: hash, silenceMilliseconds: 5_000 };
}

/** Installs the CLI of a release as `<root>/bin/pulumi`. @throws Failure with the reason, without leaving files */
export async function installRelease(release: Release, root: string, work: Work): Promise<void> {
  const archive = join(root, `archive.${process.pid}`);
  const program = join(root, `program.${process.pid}`);
  try {
    await mkdir(join(root, "bin"), { recursive: true });
    await download(release, archive, work);
    await unpack(archive, program);
    await rename(program, join(root, "bin/pulumi"));
  } catch (error) {
    work.signal.throwIfAborted();
    throw new Failure(`The release of the Pulumi CLI cannot be used: ${messageOf(error)} (${release.url})`, {
      cause: error,
    });
  } finally {
    await rm(archive, { force: true });
    await rm(program, { force: true });
  }
}

/** Redirects are not followed: the archive comes from Pulumi's site or not at all. */
async function download(
  { url, sha256, silenceMilliseconds }: Release,
  file: string,
  { show, signal }: Work,
): Promise<void> {
  const silent = new AbortController();
  const seconds = silenceMilliseconds / 1000;
  const timer = setTimeout(() => silent.abort(new Error(`no data for ${seconds} s`)), silenceMilliseconds);
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.any([silent.signal, signal]) });
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      throw new Error(`the site answered with status ${response.status}`);
    }
    const hash = createHash("sha256");
    let bytes = 0;
    await pipeline(
      Readable.fromWeb(response.body as ReadableStream<Uint8Array>),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          timer.refresh();
          bytes += chunk.length;
          if (bytes > mostBytes) throw new Error(`it has more than ${mostBytes / 1e6} MB`);
          hash.update(chunk);
          show(`downloading: ${Math.round(bytes / 1e6)} MB`);
          yield chunk;
        }
      },
      createWriteStream(file, { mode: 0o600 }),
    );
    const got = hash.digest("hex");
    if (got !== sha256) throw new Error(`its SHA-256 is ${got} instead of ${sha256}`);
  } catch (error) {
    throw silent.signal.aborted ? silent.signal.reason : reasonOf(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The cause of a "fetch failed" or "terminated", which say nothing alone. */
const reasonOf = (error: unknown): unknown =>
  error instanceof TypeError && error.cause instanceof Error ? error.cause : error;

async function unpack(archive: string, program: string): Promise<void> {
  const entries = extract();
  let found = false;
  const reading = pipeline(createReadStream(archive), createGunzip(), entries);
  const writing = (async (): Promise<void> => {
    for await (const entry of entries) {
      if (entry.header.name === entryName && entry.header.type === "file") {
        found = true;
        await pipeline(entry, createWriteStream(program));
      } else entry.resume();
    }
  })();
  await Promise.all([reading, writing]);
  if (!found) throw new Error(`it contains no file ${entryName}`);
  await chmod(program, 0o755);
}
