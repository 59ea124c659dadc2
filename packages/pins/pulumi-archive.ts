/** Pulumi's Homebrew formula: version and hashes of the newest release archive, from another site than the archives themselves. */
import { compareVersions } from "./advisories.ts";
import { programs } from "./pins.ts";

const formulaUrl = programs.pulumiArchive.source;
/** The Go module of the same release has its date. */
const releaseInfo = (version: string): string =>
  `https://proxy.golang.org/github.com/pulumi/pulumi/sdk/v3/@v/v${version}.info`;

export interface PulumiRelease {
  readonly version: string;
  /** YYYY-MM-DD */
  readonly released: string;
  /** SHA-256 of the archives, by platform in Node's names. */
  readonly sha256: Readonly<Record<string, string>>;
}

/** @throws for a text that is no formula with a version and the hash of its archives for Linux */
export function readFormula(text: string): Omit<PulumiRelease, "released"> {
  const version = /^\s*version "(\d+\.\d+\.\d+)"$/m.exec(text)?.[1];
  const archives = text.matchAll(/url "[^"\n]*\/pulumi-v([\d.]+)-(\w+-\w+)\.tar\.gz"\s+sha256 "([0-9a-f]{64})"/g);
  const sha256 = Object.fromEntries(
    [...archives].flatMap(([, of, platform, hash]) => (of === version ? [[platform!, hash!] as const] : [])),
  );
  if (version === undefined || sha256["linux-x64"] === undefined || sha256["linux-arm64"] === undefined)
    throw new Error(`${formulaUrl} has no version with the hashes of its archives for Linux. Was its form changed?`);
  return { version, sha256 };
}

async function read(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((error: unknown) => {
    const { cause, message } = error as Error;
    throw new Error(`${url} cannot be reached (${cause instanceof Error ? cause.message : message})`);
  });
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
  return response.text();
}

/** The newest published release. @throws if a site does not answer */
export async function fetchRelease(): Promise<PulumiRelease> {
  const release = readFormula(await read(formulaUrl));
  const { Time: time } = JSON.parse(await read(releaseInfo(release.version))) as { Time: string };
  return { ...release, released: time.slice(0, 10) };
}

/** One line for a newer release, or for each hash that differs from the published one of the same version. */
export function archiveProblems(
  pinned: Omit<PulumiRelease, "released">,
  published: Omit<PulumiRelease, "released">,
): readonly string[] {
  const difference = compareVersions(published.version, pinned.version);
  if (difference > 0)
    return [
      `Pulumi CLI, release archive ${pinned.version}: ${published.version} is published. Run npm run pins -- --raise`,
    ];
  if (difference < 0) return [];
  return Object.entries(pinned.sha256)
    .filter(([platform, hash]) => published.sha256[platform] !== hash)
    .map(
      ([platform]) =>
        `Pulumi CLI, release archive ${pinned.version} for ${platform}: the published SHA-256 differs from the pinned one. Do not raise the pin before Pulumi explains it; see ${formulaUrl}`,
    );
}

/** pins.ts with the version, date and hashes of a newer release. @param today its date of review, YYYY-MM-DD */
export function raiseArchive(source: string, published: PulumiRelease, today: string): string {
  return source.replace(/(?<= {2}pulumiArchive: \{\n)[^]*?(?=\n {2}\},)/, (block) =>
    block
      .replace(/(?<=version: ")[^"]+/, published.version)
      .replace(/(?<=released: ")[^"]+/, published.released)
      .replace(/(?<=reviewed: ")[^"]+/, today)
      .replaceAll(/(?<="(linux-\w+)": ")[^"]+/g, (old, platform: string) => published.sha256[platform] ?? old),
  );
}
