/** Flags with which Hasura's own suite starts its server for some test classes, by folder and case. */
export interface ServerFlags {
  readonly inferFunctionPermissions?: boolean;
  readonly enableAllowList?: boolean;
  readonly unauthorizedRole?: string;
  /** Sends no admin secret with requests without an X-Hasura-Role header. */
  readonly withoutSecret?: boolean;
  readonly namingConvention?: "hasura-default" | "graphql-default";
}

const byName: readonly (readonly [RegExp, ServerFlags])[] = [
  [/(^|\/)functions\/permissions\//, { inferFunctionPermissions: false }],
  [/(^|\/)allowlist/, { enableAllowList: true }],
  [/(^|\/)backend_user_no_admin_secret_fail$/, { unauthorizedRole: "backend_user_2", withoutSecret: true }],
  [/(^|\/)unauthorized_role\/.*_unauth_role_not_set$/, { withoutSecret: true }],
  [/(^|\/)unauthorized_role\//, { unauthorizedRole: "anonymous", withoutSecret: true }],
];

/** In these folders some cases need a different server than the rest. Neither their names nor their texts show it. */
const others: readonly (readonly [RegExp, ServerFlags, string])[] = [
  [
    /(^|\/)naming_conventions?\//,
    { namingConvention: "graphql-default" },
    "HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION=graphql-default",
  ],
];

const none: ServerFlags = {};

/** @param name path of the folder and case, such as `…/functions/permissions/get_articles` */
export function flagsFor(name: string): ServerFlags {
  return byName.find(([pattern]) => pattern.test(name))?.[1] ?? none;
}

/** Alternative flags for a failed case, with their names for the report. */
export function otherFlagsFor(name: string): readonly { readonly flags: ServerFlags; readonly called: string }[] {
  return others
    .filter(([pattern]) => pattern.test(name))
    .map(([, flags, called]) => ({ flags: { ...flagsFor(name), ...flags }, called }));
}
