import type { LoadReport } from "./load-input.ts";
import type { Tally } from "./tally.ts";

const number = new Intl.NumberFormat("en-US");

/** Result of one input for the user; several lines without a final line end. */
export function summarize(name: string, { tally, loaded, duplicates, seconds }: LoadReport): string {
  const formats = [...tally.formats].join(" and ");
  const rate = Math.round(tally.rows / Math.max(seconds, 0.001));
  return [
    `${name}${formats === "" ? "" : ` (${formats})`}`,
    `  read        ${count(tally.read)}: ${kinds(tally)}`,
    `  rows        ${count(tally.rows)} in ${seconds.toFixed(1)} s, ${number.format(rate)} a second`,
    `  loaded      ${count(loaded)}`,
    `  duplicates  ${count(duplicates)}`,
    `  refused     ${count(tally.refused)}`,
    ...details(tally),
  ].join("\n");
}

/** Rejections with examples, and skipped members of a tar. */
export function details(tally: Tally): string[] {
  const lines: string[] = [];
  for (const { reason, count, examples } of tally.refusals.values()) {
    lines.push(`    ${number.format(count)} × ${reason}`, ...examples.map((example) => `      ${example}`));
  }
  return [...lines, ...tally.passedOver.map(({ name, reason }) => `  passed over ${name}: ${reason}`)];
}

function kinds({ announcements, withdrawals, refused, skipped }: Tally): string {
  const parts = [`${number.format(announcements)} announcements`, `${number.format(withdrawals)} withdrawals`];
  for (const [kind, times] of skipped) parts.push(`${number.format(times)} ${kind} skipped`);
  if (refused > 0) parts.push(`${number.format(refused)} refused`);
  return parts.join(", ");
}

function count(value: number): string {
  return number.format(value).padStart(10);
}
