const FIRST_YEAR = 1990;
const LAST_YEAR = 2099;

/** The whole seconds of the last answer: a second has many updates. */
let known = { seconds: "", text: "" };

/**
 * UTC time of seconds since 1970, `1445565678.509481`. Its decimals are copied digit for digit; at most six, as in
 * Postgres.
 * @returns undefined for other text or a time outside the years 1990 to 2099.
 */
export function timestampOfEpoch(text: string): string | undefined {
  const [, seconds, decimals = ""] = /^(\d{9,10})(\.\d{1,6})?$/.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  if (seconds !== known.seconds) known = { seconds, text: new Date(Number(seconds) * 1000).toISOString().slice(0, 19) };
  return hasServedYear(known.text) ? known.text + decimals : undefined;
}

/** UTC time such as `2026-06-16T08:21:48`, with up to six decimals and an optional `Z`; undefined for anything else. */
export function timestampOfText(text: string): string | undefined {
  const [, seconds, decimals = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,6})?Z?$/.exec(text) ?? [];
  if (seconds === undefined || !hasServedYear(seconds)) return undefined;
  const date = new Date(`${seconds}Z`);
  // A day that does not exist, such as 30 February, is parsed as another day.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(seconds) ? seconds + decimals : undefined;
}

function hasServedYear(text: string): boolean {
  const year = Number(text.slice(0, 4));
  return year >= FIRST_YEAR && year <= LAST_YEAR;
}
