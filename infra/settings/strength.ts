import { secretWeakness } from "@routeql/auth-sidecar/weak-secrets";
import type { Check } from "./setting.ts";

/** At least `least` visible ASCII characters, none of the well-known values; the auth sidecar asks for the same. */
export function strongSecret(least: number): { check: Check<"secret">; allowed: string } {
  return {
    check(secret) {
      if (!/^[\x21-\x7e]*$/.test(secret)) return "must consist of visible ASCII characters without spaces";
      return secretWeakness(secret, least);
    },
    allowed: `at least ${least} random characters`,
  };
}
