import { token } from "./auth-sidecar.ts";
import { filesDirectory } from "./description.ts";
import { readTree } from "./read-tree.ts";

/** Path of the metadata directory in the containers that read it. */
export const metadataDirectory = `${filesDirectory}/metadata`;

/** The files of hasura-metadata/, by path under the files' directory. */
export const metadataFiles = (): Record<string, string> =>
  readTree(new URL("../../hasura-metadata", import.meta.url), "metadata", [".yaml", ".yml", ".json", ".graphql"]);

/**
 * How the engine checks tokens, in Hasura's form of HASURA_GRAPHQL_JWT_SECRET. Clocks of two nodes differ by some milliseconds: without
 * leeway (RFC 7519, 4.1.4 and 4.1.5) a token is refused that was signed just before a second of the engine's began.
 */
export const tokenCheck = JSON.stringify({
  jwk_url: "http://auth-sidecar:8080/jwks",
  issuer: token.issuer,
  audience: token.audience,
  allowed_skew: 1,
});

/** Names of the session variables that the permissions use; the role itself is not one of them. */
export function sessionVariables(): readonly string[] {
  const names = Object.values(metadataFiles()).flatMap((content) => content.match(/\bx-hasura-[a-z0-9-]+/gi) ?? []);
  return [...new Set(names.map((name) => name.toLowerCase()))].filter((name) => name !== "x-hasura-role").toSorted();
}
