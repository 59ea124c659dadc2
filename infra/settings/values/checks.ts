/** Checks of single values: each returns the problem, or undefined. */
import { isIP } from "node:net";
import { secretWeakness } from "@routeql/sidecar-settings/weak-secrets";
import { addressReason, hostReason } from "./host-reasons.ts";
import type { Check } from "./setting.ts";

export interface Checked {
  readonly check: Check<"text">;
  readonly allowed: string;
}

export function matching(pattern: RegExp, allowed: string): Checked {
  return {
    check: (value) => (pattern.test(value) ? undefined : `must be ${allowed}, not ${JSON.stringify(value)}`),
    allowed,
  };
}

/** Of a text or a secret. */
export interface CheckedUrl {
  readonly check: Check<"text"> & Check<"secret">;
  readonly allowed: string;
}

/** Addresses that `new URL` accepts, as services and network rules parse them. The problem never quotes the value, because addresses often contain a token. */
export function urlOf(...schemes: readonly string[]): CheckedUrl {
  const beginnings = schemes.map((scheme) => `${scheme}://`);
  return urlMatching(
    new RegExp(`^(${beginnings.join("|")})`),
    `an address that begins with ${beginnings.join(" or ")}`,
  );
}

/** The same for a setting that is no secret. */
export function urlWithoutLogin(...schemes: readonly string[]): CheckedUrl {
  const { check, allowed } = urlOf(...schemes);
  return {
    check: (value) =>
      check(value) ??
      (/^[^/]+\/\/[^/?#]*@/.test(value) ? "must have no user and no password: this setting is no secret" : undefined),
    allowed,
  };
}

/** What `new URL` repairs or refuses and other programs read differently: Go refuses it when an alert is sent. */
function misreadPart(value: string, parses: boolean): string | undefined {
  // Without an encoded # or ?, a password may reach beyond the host that `new URL` would find.
  const user = (parses ? /\/\/([^/?#]*)@/ : /\/\/([^/]*)@/).exec(value)?.[1] ?? "";
  if (!/^[\w.~!$&'()*+,;=%@:-]*$/.test(user)) return "a character in its user or password";
  if (/%(?![\da-f]{2})/i.test(value)) return "a % before other characters than two digits (%25 is a %)";
  return /[\s\\]/.test(value) ? "a space or backslash" : undefined;
}

/** The same for addresses of one form. */
export function urlMatching(pattern: RegExp, allowed: string): CheckedUrl {
  const check: CheckedUrl["check"] = (value) => {
    if (!pattern.test(value)) return `must be ${allowed}`;
    const parses = URL.canParse(value);
    const part = misreadPart(value, parses);
    if (part !== undefined) return `has ${part}, which an address cannot have: write it encoded, such as %23 for #`;
    return parses ? undefined : `must be ${allowed}: its host or port cannot be read`;
  };
  return { check, allowed };
}

/** An IPv6 address is in brackets. */
export const hostAndPort: Checked = {
  check: (value) =>
    /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):[1-9]\d{0,4}$/i.test(value) && urlOf("tcp").check(`tcp://${value}`) === undefined
      ? undefined
      : `must be <host>:<port>, not ${JSON.stringify(value)}`,
  allowed: "<host>:<port>",
};

/** Whole numbers from `least` to `most`, both included. */
export function range(least: number, most: number): { check: Check<"number">; allowed: string } {
  return {
    check: (value) =>
      Number.isInteger(value) && value >= least && value <= most
        ? undefined
        : `must be a whole number from ${least} to ${most}, not ${value}`,
    allowed: `${least} to ${most}`,
  };
}

export const port = range(1, 65_535);

export function oneOf(...values: readonly string[]): Checked {
  return {
    check: (value) =>
      values.includes(value) ? undefined : `must be one of ${values.join(", ")}, not ${JSON.stringify(value)}`,
    allowed: values.join(", "),
  };
}

/** The addresses of a text: `*` is every address of both families. */
export const addressesOf = (text: string): readonly string[] =>
  text === "*" ? ["0.0.0.0", "::"] : text.split(",").map((each) => each.trim());

/** Addresses of network interfaces of the Docker host. An unspecified address includes the others of its family. */
export const addresses: Checked = {
  check(value) {
    const all = addressesOf(value);
    const wrong = all.find((each) => isIP(each) === 0);
    if (wrong !== undefined) return `must be * or IP addresses, separated by commas, not ${JSON.stringify(wrong)}`;
    const unusable = all.find((each) => addressReason(each) !== undefined);
    if (unusable !== undefined) return `must not hold ${JSON.stringify(unusable)}: ${addressReason(unusable)}`;
    const twice = all.find(
      (each, index) =>
        all.indexOf(each) !== index ||
        (["0.0.0.0", "::"].includes(each) && all.some((other) => other !== each && isIP(other) === isIP(each))),
    );
    return twice === undefined
      ? undefined
      : `must name each address once; ${twice} is there with another of its family`;
  },
  allowed: "* or IP addresses, separated by commas",
};

/** A DNS name (RFC 1123) or an IP address. */
export const host: Checked = {
  check(value) {
    const reason = hostReason(value);
    return reason === undefined
      ? undefined
      : `must be a host name or an IP address, not ${JSON.stringify(value)}${reason === "" ? "" : `: ${reason}`}`;
  },
  allowed: "a host name or an IP address",
};

/** Finds typing errors only; the sidecar and the user's mail system check the rest. */
export const email = matching(/^[^\s@]{1,64}@[^\s@]{1,255}$/, "an e-mail address");

const mailPart = String.raw`[^\s@<>()\[\],;:"\\.]+(?:\.[^\s@<>()\[\],;:"\\.]+)*`;
const mailAddress = `${mailPart}@${mailPart}`;

/** A sender or a receiver as Alertmanager reads it (RFC 5322), also with a name. */
export const mailbox = matching(
  new RegExp(String.raw`^(?:(?:[\p{L}\p{N} '._-]+ )?<${mailAddress}>|${mailAddress})$`, "u"),
  "an e-mail address such as noc@example.net or NOC <noc@example.net>",
);

export const mailboxes: Checked = {
  check: (value) =>
    value.split(",").every((each) => mailbox.check(each.trim()) === undefined)
      ? undefined
      : `must be e-mail addresses, separated by commas, not ${JSON.stringify(value)}`,
  allowed: "e-mail addresses, separated by commas",
};

const registryHost = "(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\\[[0-9a-fA-F:]+\\])(?::[0-9]{1,5})?";
const repositoryPath = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*)*";

/** An image reference, as the Docker daemon accepts it: capital letters only in the registry's host and in the tag. */
export const image = matching(
  new RegExp(`^(?:${registryHost}/)?${repositoryPath}(?::\\w[\\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$`),
  "the name of an image",
);

/** Prefix of image names: a registry's host, and a path. A slash at its end makes no difference. */
export const imagePrefix = matching(
  new RegExp(`^${registryHost}(?:/${repositoryPath})?/?$`),
  "the address of a registry, without https://",
);

/** A digest, or the tag of a version: it contains a digit and is no moving tag such as `latest`. */
export function isPinned(name: string): boolean {
  if (/@sha256:[0-9a-f]{64}$/.test(name) || /^sha256:[0-9a-f]{64}$/.test(name)) return true;
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return tag !== undefined && /\d/.test(tag) && !/^(latest|stable|edge|main|master|nightly)\b/.test(tag);
}

/** An image of a service. A restart always runs the same one. @param others names without a version that are allowed, too */
export const serviceImage = (...others: readonly string[]): Checked => ({
  check: (value) =>
    image.check(value) ??
    (isPinned(value) || others.includes(value)
      ? undefined
      : `must name a version or a digest, so that a restart runs the same image, not ${JSON.stringify(value)}`),
  allowed: `${image.allowed} with a version or a digest`,
});

/** Whole numbers by role: `viewer=10,tenant=20`. */
export function numbersByRole(least: number, most: number): Checked {
  const isEntry = (entry: string): boolean => {
    const [, value] = /^[A-Za-z_][\w-]*=(\d{1,9})$/.exec(entry) ?? [];
    return Number(value) >= least && Number(value) <= most;
  };
  return {
    check(value) {
      const entries = value.split(",").filter((entry) => entry !== "");
      const roles = new Set(entries.map((entry) => entry.split("=", 1)[0]));
      if (entries.every(isEntry) && roles.size === entries.length) return undefined;
      return `must be a list such as viewer=10,tenant=20, each role once and each number from ${least} to ${most}, not ${JSON.stringify(value)}`;
    },
    allowed: `role=number, separated by commas, ${least} to ${most}`,
  };
}

/** At least `least` visible ASCII characters, and no well-known value; the auth sidecar has the same check. */
export function strongSecret(least: number): { check: Check<"secret">; allowed: string } {
  return {
    check(secret) {
      if (!/^[\x21-\x7e]*$/.test(secret)) return "must consist of visible ASCII characters without spaces";
      return secretWeakness(secret, least);
    },
    allowed: `at least ${least} random characters`,
  };
}
