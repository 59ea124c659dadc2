import type { NumberSetting } from "@routeql/contract/environment";

/** Settings of the engine and the auth sidecar. The deployment takes their checks, ranges, defaults and texts from here. */
export const traceSettings = {
  TRACE_ENDPOINT: {
    meaning: "OTLP/HTTP address of the collector of traces. Without a path, `/v1/traces` is added.",
    allowed: "http[s]://<host>[:<port>][/<path>]",
    /** The problem of a value; never repeats it. */
    problem: (value: string): string | undefined =>
      endpointOf(value) === undefined
        ? "must have the form http[s]://<host>[:<port>][/<path>], without a login"
        : undefined,
  },
  TRACE_PERCENT: {
    minimum: 0,
    maximum: 100,
    default: 1,
    meaning: "Percentage of traced requests. The sampled flag of a `traceparent` header overrides it.",
  } satisfies NumberSetting,
} as const;

/** The address to which spans are posted; undefined for an invalid one. */
export function endpointOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.hostname === "" ||
    url.username !== "" ||
    url.password !== ""
  )
    return undefined;
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url.href;
}
