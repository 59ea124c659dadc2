/** A secret shorter than this also occurs in other text by chance. */
const shortest = 8;

/** Removes known secrets from a text: as they are, in JSON and in URLs. The texts should hold none; this is the second line of defence. */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets.flatMap((secret) =>
    secret.length < shortest ? [] : [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")],
  );
  const longestFirst = [...new Set(spellings)].toSorted((left, right) => right.length - left.length);
  return (text) => longestFirst.reduce((rest, spelling) => rest.replaceAll(spelling, "[redacted]"), text);
}

/** All texts in a value, such as the outputs of a stack. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
