/** Reports the pins that need attention: support that ends soon, and advisories. A scheduled job runs it (ci-templates). */
import { advisoriesOf, describeAdvisory } from "./advisories.ts";
import { type Pin, pins, type ProgramPin, programs } from "./pins.ts";

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

if (import.meta.main) {
  const problems = [...pinProblems(new Date()), ...programProblems(new Date())];
  for (const problem of problems) console.error(problem);
  if (problems.length === 0)
    console.log(`Every pinned version has support for more than ${noticeDays} days and no known advisory.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
