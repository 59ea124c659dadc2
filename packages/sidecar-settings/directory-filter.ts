import { Filter, FilterParser } from "ldapts";

/** Inserts values into the `{{name}}` placeholders of a filter, escaped (RFC 4515, 3), so that client input is never syntax. */
export function filledFilter(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : Filter.escape(value);
  });
}

/** The problem of a filter with placeholders, as the end of a sentence; undefined for a valid filter. */
export function filterProblem(template: string, places: readonly string[]): string | undefined {
  for (const place of places) if (!template.includes(`{{${place}}}`)) return `must contain {{${place}}}`;
  const filled = filledFilter(template, Object.fromEntries(places.map((place) => [place, "value"])));
  if (filled.includes("{{")) return "has a place that has no meaning";
  try {
    FilterParser.parseString(filled);
    return undefined;
  } catch {
    return "must be an LDAP filter in parentheses (RFC 4515)";
  }
}
