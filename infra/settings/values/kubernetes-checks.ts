/** Checks of values in Kubernetes' formats. */
import { type Checked, matching, urlMatching } from "./checks.ts";

/** Name of an object (RFC 1123 label). */
export const objectName = matching(
  /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
  "a name of small letters, digits and hyphens",
);

/** Name of an object that may have dots: a Secret, a storage class, an issuer. */
export const dottedName = matching(
  /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  "a name of small letters, digits, hyphens and dots",
);

export const volumeSize = matching(/^[1-9][0-9]{0,5}(Mi|Gi|Ti)$/, "a size such as 20Gi");

/** A folder in an object storage with Amazon's S3 API. pgBackRest rejects two slashes in the path. */
export const bucket = urlMatching(
  /^s3:\/\/[a-z0-9][a-z0-9.-]+(?:\/[A-Za-z0-9._-]+)*\/?$/,
  "an address such as s3://bucket/folder, the bucket in small letters, digits, dots and hyphens",
);

/** Address of a server, for programs that add their own path. */
export const webAddress = urlMatching(
  /^https?:\/\/[A-Za-z0-9.-]+(:[1-9][0-9]{0,4})?$/,
  "an address such as https://storage.example.net, without a path or a slash at its end",
);

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const days = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** Fields of a schedule as CloudNativePG reads them (github.com/robfig/cron): the seconds first, and Sunday is 0. */
const fields: readonly (readonly [least: number, most: number, names?: readonly string[]])[] = [
  [0, 59],
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12, months],
  [0, 6, days],
];

function isField(text: string, [least, most, names = []]: (typeof fields)[number]): boolean {
  const numberOf = (word: string): number =>
    /^\d{1,2}$/.test(word) ? Number(word) : names.includes(word) ? names.indexOf(word) + least : NaN;
  return text.split(",").every((part) => {
    const [, range = "", step = "1"] = /^([^/]+)(?:\/([1-9]\d?))?$/.exec(part) ?? [];
    if (range === "" || Number(step) > most) return false;
    if (range === "*" || range === "?") return true;
    const [first = NaN, last = first, more] = range.split("-").map(numberOf);
    return more === undefined && first >= least && first <= last && last <= most;
  });
}

/** Six fields, starting with seconds. */
export const schedule: Checked = {
  check(value) {
    const texts = value.split(" ");
    if (texts.length !== fields.length) return `must be six fields such as 0 0 2 * * *, not ${JSON.stringify(value)}`;
    const wrong = fields.findIndex((field, index) => !isField(texts[index]!, field));
    if (wrong === -1) return undefined;
    const name = ["second", "minute", "hour", "day of the month", "month", "day of the week"][wrong]!;
    return `must be six fields such as 0 0 2 * * *; ${JSON.stringify(texts[wrong])} is no ${name}`;
  },
  allowed: "six fields such as 0 0 2 * * *",
};

/** Address of a registry: host, port and path, without a slash at its end. */
export const registry = matching(
  /^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(\/[a-z0-9][a-z0-9._-]*)*$/,
  "the address of a registry, without https:// and without a slash at its end",
);

/** A name as the API server accepts it: at most one prefix, and 63 characters after it. */
const annotation =
  /^(?:[A-Za-z0-9](?:[-A-Za-z0-9.]{0,251}[A-Za-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?=[^,]*$/;

/** Annotations as `name=value,name=value`. */
export const annotations: Checked = {
  check(value) {
    const entries = value.split(",").map((entry) => entry.trim());
    if (!entries.every((entry) => annotation.test(entry)))
      return `must be a list name=value,name=value, not ${JSON.stringify(value)}`;
    const names = entries.map((entry) => entry.split("=", 1)[0]!);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    return twice === undefined ? undefined : `must name each annotation once; ${twice} is there twice`;
  },
  allowed: "a list name=value,name=value",
};

export function readAnnotations(value: string | undefined): Readonly<Record<string, string>> {
  const entries = (value ?? "").split(",").filter((entry) => entry.trim() !== "");
  return Object.fromEntries(
    entries.map((entry) => {
      const [name = "", ...rest] = entry.trim().split("=");
      return [name, rest.join("=")];
    }),
  );
}
