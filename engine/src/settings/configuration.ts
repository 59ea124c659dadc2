import { readFileSync } from "node:fs";
import { z } from "zod";
import { allowedRolesClaim, type ClaimsMap, defaultClaimsNamespace, defaultRoleClaim } from "../auth/jwt-settings.ts";
import type { Settings } from "./settings.ts";

/** The content of Hasura's config API for these settings; intervals in seconds. */
export function configurationOf(settings: Settings): unknown {
  const { jwt } = settings;
  return {
    version: engineVersion,
    is_function_permissions_inferred: settings.inferFunctionPermissions,
    is_remote_schema_permissions_enabled: false,
    is_admin_secret_set: true,
    is_auth_hook_set: false,
    is_jwt_set: jwt !== undefined,
    jwt:
      jwt === undefined
        ? []
        : [
            {
              claims_format: jwt.claims_format,
              claims_map: jwt.claims_map === undefined ? null : claimsMapOf(jwt.claims_map),
              claims_namespace: jwt.claims_namespace_path?.text ?? jwt.claims_namespace ?? defaultClaimsNamespace,
            },
          ],
    is_allow_list_enabled: settings.enableAllowList,
    live_queries: { batch_size: settings.batchSize, refetch_delay: settings.refetchInterval / 1_000 },
    streaming_queries: { batch_size: settings.streamBatchSize, refetch_delay: settings.streamRefetchInterval / 1_000 },
    console_assets_dir: null,
    experimental_features: settings.experimentalFeatures,
    is_prometheus_metrics_enabled: true,
    default_naming_convention: settings.namingConvention,
    feature_flags: [],
  };
}

function claimsMapOf({ allowedRoles, defaultRole, other }: ClaimsMap): unknown {
  const entries: readonly (readonly [string, unknown])[] = [
    [allowedRolesClaim, allowedRoles],
    [defaultRoleClaim, defaultRole],
    ...other,
  ];
  return Object.fromEntries(entries.map(([name, value]) => [name, written(value)]));
}

/** A path in the token, as the settings have it. */
function written(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("path" in value)) return value;
  const { path, default: fallback } = value as { readonly path: { readonly text: string }; readonly default?: unknown };
  return fallback === undefined ? { path: path.text } : { path: path.text, default: fallback };
}

const description = z.object({ version: z.string() });

/** The content of `/v1/version`: the Hasura version whose read API is served, with this engine's version as the build. */
export const engineVersion = `v2.48.0-routeql.${
  description.parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))).version
}`;
