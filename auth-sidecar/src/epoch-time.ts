/** Whole seconds since 1970-01-01T00:00:00Z (RFC 7519 NumericDate). */
export const epochTime = (date = Date.now()): number => Math.floor(date / 1000);
