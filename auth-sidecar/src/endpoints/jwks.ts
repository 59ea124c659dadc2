import type { Endpoint, Parts } from "./endpoint.ts";

/** The public keys (RFC 7517, 5). Verifiers may cache them for max-age, so a new key waits that long before it signs. */
export function jwks({ settings, keyring, revocations }: Parts): Endpoint {
  return {
    path: "/jwks",
    audience: "inside",
    methods: ["GET"],
    handlers: [
      (_request, response) => {
        const keys = keyring.publishedToVerifiers();
        response.setHeader("Cache-Control", `max-age=${settings.JWKS_MAX_AGE_SECONDS}`);
        response.json({ keys, revoked_before: revocations.published() });
      },
    ],
  };
}
