import { FilterProblem, type FilterTemplate, readFilter } from "./search-filter.ts";

/** Reads a filter with exactly these places. @returns the problem of another text, as the end of a sentence */
export function directoryFilter(text: string, places: readonly string[]): FilterTemplate | string {
  const filter = filterOf(text);
  if (typeof filter === "string") return filter;
  const missing = places.find((place) => !filter.places.includes(place));
  if (missing !== undefined) return `must contain {{${missing}}}`;
  const other = filter.places.find((place) => !places.includes(place));
  return other === undefined ? filter : `has {{${other}}}, which has no meaning there`;
}

/** Reads a filter of groups: it needs `{{dn}}` or attributes of the account, such as `{{uid}}`. @returns as {@link directoryFilter} */
export function groupFilter(text: string): FilterTemplate | string {
  const filter = filterOf(text);
  if (typeof filter === "string" || filter.places.length > 0) return filter;
  return "must contain {{dn}}, or an attribute of the account such as {{uid}}";
}

function filterOf(text: string): FilterTemplate | string {
  try {
    return readFilter(text);
  } catch (error) {
    if (!(error instanceof FilterProblem)) throw error;
    return `must be an LDAP filter (RFC 4515), but ${error.message}`;
  }
}
