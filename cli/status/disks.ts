import type { Execute } from "@routeql/host/program-streams";
import { printedIn } from "./health-detail.ts";
import type { Problem } from "./report.ts";

/** Folders with the data of services. That of the gateway is on the disk of the containers: a database without space does not run. */
const folders: Readonly<Record<string, string>> = {
  gateway: "/",
  database: "/var/lib/postgresql/data",
  sessions: "/data",
  archive: "/var/lib/pgbackrest",
  prometheus: "/prometheus",
};

/** As the alert DiskNearlyFull. */
const smallestShare = 0.1;
const enough = 20e9;

interface Disk {
  readonly service: string;
  readonly freeBytes: number;
  readonly bytes: number;
  readonly freeFiles: number;
  readonly files: number;
}

/** @param text output of `df --output=avail,size,iavail,itotal`; undefined if it is none */
export function readDisk(service: string, text: string): Disk | undefined {
  const numbers = /^ *(\d+) +(\d+) +(\d+|-) +(\d+|-) *$/m.exec(text)?.slice(1).map(Number);
  if (numbers === undefined) return undefined;
  const [free, size, freeFiles, files] = numbers as [number, number, number, number];
  return { service, freeBytes: free * 1024, bytes: size * 1024, freeFiles, files };
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);

/** Disks that are nearly full, each once. */
export function fullDisks(disks: readonly Disk[]): Problem[] {
  const reasons = new Map<string, string[]>();
  for (const { service, freeBytes, bytes, freeFiles, files } of disks) {
    const few = freeBytes < smallestShare * bytes && freeBytes < enough;
    const reason = few
      ? `has ${gigabytes(freeBytes)} of ${gigabytes(bytes)} GB free`
      : files > 0 && freeFiles < files / 100
        ? `has ${freeFiles} of ${files} files left`
        : undefined;
    if (reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), service]);
  }
  return [...reasons].map(([reason, services]) => ({
    subject: "disk",
    reason: `that of ${services.join(", ")} ${reason}`,
    next: "docs/operate/runbooks.md#disknearlyfull",
  }));
}

/** The disks of the running services with data. @param enter as in StackPlace */
export async function diskProblems(
  services: readonly string[],
  enter: (service: string) => Promise<Execute>,
  signal: AbortSignal,
): Promise<Problem[]> {
  const disks = await Promise.all(
    // A cluster of databases has several pods; the first ready one answers.
    [...new Set(services)].map(async (service) => {
      const folder = folders[service];
      if (folder === undefined) return undefined;
      const program = ["df", "--output=avail,size,iavail,itotal", "--block-size=1024", folder];
      return readDisk(service, await printedIn(service, program, enter, signal));
    }),
  );
  return fullDisks(disks.filter((disk) => disk !== undefined));
}
