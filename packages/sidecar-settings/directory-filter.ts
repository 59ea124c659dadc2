import { Filter } from "ldapts";
import { FilterProblem, readFilter } from "./search-filter.ts";

const placePattern = /\{\{([A-Za-z][A-Za-z0-9-]*)\}\}/g;

/** Inserts values into the `{{name}}` placeholders of a filter, escaped (RFC 4515, 3), so that client input is never syntax. */
export function filledFilter(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(placePattern, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : Filter.escape(value);
  });
}

/** The names of a filter's placeholders. */
export const placesOf = (template: string): readonly string[] => [
  ...new Set(Array.from(template.matchAll(placePattern), ([, name = ""]) => name)),
];

/** The problem of a filter of groups: it needs `{{dn}}` or attributes of the account, such as `{{uid}}`. */
export function groupFilterProblem(template: string): string | undefined {
  const places = placesOf(template);
  return places.length === 0
    ? "must contain {{dn}}, or an attribute of the account such as {{uid}}"
    : filterProblem(template, places);
}

/** The problem of a filter with placeholders, as the end of a sentence; undefined for a valid filter. */
export function filterProblem(template: string, places: readonly string[]): string | undefined {
  for (const place of places) if (!template.includes(`{{${place}}}`)) return `must contain {{${place}}}`;
  // A place of a value: the space is no part of an attribute's name.
  const filled = filledFilter(template, Object.fromEntries(places.map((place) => [place, "a value"])));
  if (filled.includes("{{")) return "has a place that has no meaning";
  try {
    readFilter(filled);
    return undefined;
  } catch (error) {
    if (!(error instanceof FilterProblem)) throw error;
    return `must be an LDAP filter (RFC 4515), but ${error.message}`;
  }
}
