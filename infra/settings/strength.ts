import { secretWeakness } from "@routeql/auth-sidecar/weak-secrets";
import type { Check } from "./setting.ts";

/** At least `least` visible ASCII characters, and no well-known value; the auth sidecar has the same check. */
export function strongSecret(least: number): { check: Check<"secret">; allowed: string } {
  return {
    check(secret) {
      if (!/^[\x21-\x7e]*$/.test(secret)) return "must consist of visible ASCII characters without spaces";
      return secretWeakness(secret, least);
    },
    allowed: `at least ${least} random characters`,
  };
}
