/**
 * Reports the pins that need attention: support that ends soon, advisories, and a newer release archive of the Pulumi CLI. A scheduled job
 * runs it (ci-templates). With --raise it writes the newer release to pins.ts.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { advisoriesOf, describeAdvisory } from "./advisories.ts";
import { type Pin, pins, type ProgramPin, programs } from "./pins.ts";
import { archiveProblems, fetchRelease, raiseArchive } from "./pulumi-archive.ts";

/** Days before the end of support from which on a pin is reported. */
export const noticeDays = 90;

const millisecondsPerDay = 86_400_000;

export function pinProblems(today: Date, all: readonly Pin[] = Object.values<Pin>(pins)): readonly string[] {
  return all.flatMap(({ image, supportedUntil, source }) => [
    ...supportProblems(today, image, supportedUntil, source),
    ...advisoriesOf(image).map((advisory) => `${image}: ${describeAdvisory(advisory)}`),
  ]);
}

/** One line for each program whose support ends soon. */
export function programProblems(
  today: Date,
  all: readonly ProgramPin[] = Object.values<ProgramPin>(programs),
): readonly string[] {
  return all.flatMap(({ program, version, supportedUntil, source }) =>
    supportedUntil === undefined ? [] : supportProblems(today, `${program} ${version}`, supportedUntil, source),
  );
}

function supportProblems(today: Date, name: string, supportedUntil: string, source: string): readonly string[] {
  const days = Math.ceil((Date.parse(supportedUntil) - today.getTime()) / millisecondsPerDay);
  const remedy = `Choose the next line in packages/pins/pins.ts; see ${source}`;
  return days > noticeDays ? [] : [`${name}: support ${days < 0 ? "ended" : "ends"} on ${supportedUntil}. ${remedy}`];
}

/** The lines about the release archive of the Pulumi CLI that need attention. @param raise whether to write a newer release to pins.ts */
async function checkArchive(raise: boolean): Promise<readonly string[]> {
  const pinned = programs.pulumiArchive;
  const published = await fetchRelease().catch((error: unknown) => (error as Error).message);
  if (typeof published === "string") {
    const problem = `The release archive of the Pulumi CLI was not compared with the published one: ${published}`;
    if (raise) return [problem];
    console.error(problem);
    return [];
  }
  const problems = archiveProblems(pinned, published);
  if (!raise || problems.length === 0 || published.version === pinned.version) return problems;
  const file = join(import.meta.dirname, "pins.ts");
  const today = new Date().toISOString().slice(0, 10);
  await writeFile(file, raiseArchive(await readFile(file, "utf8"), published, today));
  console.log(`${file}: the release archive of the Pulumi CLI is now ${published.version}.`);
  return [];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { raise: { type: "boolean", default: false } } });
  const problems = [...pinProblems(new Date()), ...programProblems(new Date()), ...(await checkArchive(values.raise))];
  for (const problem of problems) console.error(problem);
  if (problems.length === 0)
    console.log(`Every pinned version has support for more than ${noticeDays} days and no known advisory.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
