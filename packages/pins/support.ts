/**
 * Reports the pins that need attention: support that ends soon, and advisories. A scheduled job runs it (ci-templates).
 * @module
 */
import { advisoriesOf, describeAdvisory } from "./advisories.ts";
import { pins, type Pin } from "./pins.ts";

/** Days before the end of support from which on a pin is reported. */
export const noticeDays = 90;

const millisecondsPerDay = 86_400_000;

/** One line for each problem of a pin. */
export function pinProblems(today: Date, all: readonly Pin[] = Object.values<Pin>(pins)): readonly string[] {
  return all.flatMap(({ image, supportedUntil, source }) => {
    const days = Math.ceil((Date.parse(supportedUntil) - today.getTime()) / millisecondsPerDay);
    const support = days > noticeDays ? [] : [`${image}: support ${days < 0 ? "ended" : "ends"} on ${supportedUntil}. Choose the next line in packages/pins/pins.ts; see ${source}`];
    return [...support, ...advisoriesOf(image).map((advisory) => `${image}: ${describeAdvisory(advisory)}`)];
  });
}

if (import.meta.main) {
  const problems = pinProblems(new Date());
  for (const problem of problems) console.error(problem);
  if (problems.length === 0) console.log(`Every pinned version has support for more than ${noticeDays} days and no known advisory.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
