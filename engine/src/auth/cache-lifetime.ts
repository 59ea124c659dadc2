/**
 * Time in milliseconds for which a reply may be cached, by Cache-Control `max-age` or `s-maxage`, else by Expires (RFC 9111 section 4.2.1).
 * Undefined when the reply has no such header, 0 when it forbids caching.
 */
export function cacheLifetime(headers: Headers, now: number): number | undefined {
  const control = headers.get("cache-control");
  if (control !== null) {
    const directives = control.split(",").map((directive) => directive.trim().toLowerCase());
    if (directives.includes("no-store") || directives.includes("no-cache")) return 0;
    for (const name of ["s-maxage", "max-age"]) {
      const seconds = directives.map((directive) => new RegExp(`^${name}="?(\\d+)"?$`).exec(directive)?.[1]).find(Boolean);
      if (seconds !== undefined) return Number(seconds) * 1000;
    }
  }
  const expires = headers.get("expires");
  if (expires === null) return undefined;
  const at = Date.parse(expires);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
