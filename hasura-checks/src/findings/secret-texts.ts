/** Secrets in texts of the metadata: where they are, and the texts without them. */
/** Formats of secrets, as their issuers and gitleaks publish them. */
const formats: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a private key", /-----BEGIN[ A-Z]*PRIVATE KEY-----/g],
  ["an access key of AWS", /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g],
  ["a token of GitHub", /\bgh[oprsu]_[0-9A-Za-z]{36}\b|\bgithub_pat_\w{82}\b/g],
  ["a token of GitLab", /\bglpat-[\w-]{20}\b/g],
  ["a token of Slack", /\bxox[abeoprs]-[0-9A-Za-z-]{10,}|hooks\.slack\.com\/(?:services|workflows)\/[\w/+]{40,}/g],
  ["a key of Stripe", /\b[rs]k_(?:live|prod|test)_[0-9A-Za-z]{10,99}\b/g],
  ["a key of Google", /\bAIza[\w-]{35}\b/g],
  ["a key of SendGrid", /\bSG\.[\w-]{16,32}\.[\w-]{16,64}\b/g],
  ["a key of Twilio", /\bSK[0-9a-fA-F]{32}\b/g],
  ["a token of npm", /\bnpm_[0-9A-Za-z]{36}\b/g],
  ["a JSON web token", /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g],
];

/** Bits of information in each character. */
function entropy(text: string): number {
  const counts = Map.groupBy(text, (character) => character).values();
  return [...counts].reduce((sum, { length }) => sum - (length / text.length) * Math.log2(length / text.length), 0);
}

/** Whether a text looks random: long, with letters and digits, and with the entropy that gitleaks requires of a generic key. */
const isRandom = (text: string): boolean =>
  /^[\w.+/=~-]{20,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && entropy(text) > 3.5;

const secretParameter =
  /^(api_?key|key|code|sig|signature|secret|client_secret|password|pass|pwd|(access_?|auth_?)?token)$/i;
const secretHeader = /^(proxy-)?authorization$|^cookie$|secret|token|password|api-?key|access-?key/i;
/** Values that only describe: a word, a number, a media type, the name of a variable. */
const describesOnly =
  /^([Tt]rue|[Ff]alse|null|[Bb]earer|[Bb]asic|[Nn]one|[Jj][Ww][Tt]|\d{1,5}|[a-z]+\/[\w.+-]+|[A-Z]+(_[A-Z0-9]+)+|[xX]-[hH]asura-\S*)$/;

interface Secret {
  readonly what: string;
  readonly value: string;
}

/** Values that follow a pattern, in its first group. */
const after = (text: string, pattern: RegExp, what: string): readonly Secret[] =>
  [...text.matchAll(pattern)].flatMap(([, value = ""]) => ({ what, value }));

/** @param header name of the header that has the text as its value */
export function secretsOf(text: string, header?: string): readonly Secret[] {
  const known = formats.flatMap(([what, pattern]) => [...text.matchAll(pattern)].map(([value]) => ({ what, value })));
  const inAddress = [
    ...after(text, /\b[a-z][\w+.-]*:\/\/[^/@:\s]*:([^@/\s]+)@/gi, "a password in the address"),
    ...after(text, /(?<![\w."`])password\s*=\s*([^\s&;"'`]+)/gi, "a password in the address"),
    ...[...text.matchAll(/[?&]([\w-]+)=([^\s&#"'`]+)/g)].flatMap(([, name = "", value = ""]) =>
      secretParameter.test(name) && value.length >= 8 ? [{ what: `a literal ${name} in the address`, value }] : [],
    ),
  ];
  const words = header === undefined ? [] : text.split(/\s+/).filter((word) => word !== "");
  const isSecret = header !== undefined && secretHeader.test(header);
  const inHeader = words.flatMap((value): readonly Secret[] => {
    if (isSecret && !describesOnly.test(value)) return [{ what: `the value of the header ${header}`, value }];
    return isRandom(value) ? [{ what: `a random text in the header ${header ?? ""}`, value }] : [];
  });
  return [...known, ...inAddress, ...inHeader];
}

/** A name in the place of a value, which Hasura replaces. */
const isTemplate = (text: string) => /^\{\{[^"']*\}\}$/.test(text);

/** A value with `***` for each secret, as every report prints metadata. @param header whose value the text is */
export function redacted<Value>(value: Value, header?: string): Value;
export function redacted(value: unknown, header?: string): unknown {
  if (typeof value === "string")
    return secretsOf(value, header)
      .filter((secret) => !isTemplate(secret.value))
      .reduce((text, secret) => text.replaceAll(secret.value, "***"), value);
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item));
  if (typeof value !== "object" || value === null) return value;
  const { name } = value as { readonly name?: unknown };
  const headerOf = (key: string) => (key === "value" && typeof name === "string" ? name : secretKey(key));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, headerOf(key))]));
}

/** A key whose value is a secret; undefined for other keys. */
export const secretKey = (key: string): string | undefined => (secretHeader.test(key) ? key : undefined);
