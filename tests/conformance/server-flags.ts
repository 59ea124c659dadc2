/**
 * Hasura's own suite starts its server differently for some of its test classes; these are its flags, by folder and case.
 * @module
 */
export interface ServerFlags {
  readonly inferFunctionPermissions?: boolean;
  readonly enableAllowList?: boolean;
  readonly unauthorizedRole?: string;
  /** Requests without an X-Hasura-Role header go out without the admin secret too. */
  readonly withoutSecret?: boolean;
  readonly namingConvention?: "hasura-default" | "graphql-default";
}

const byName: readonly (readonly [RegExp, ServerFlags])[] = [
  [/(^|\/)functions\/permissions\//, { inferFunctionPermissions: false }],
  [/(^|\/)allowlist/, { enableAllowList: true }],
  [/(^|\/)unauthorized_role\/.*_unauth_role_not_set$/, { withoutSecret: true }],
  [/(^|\/)unauthorized_role\//, { unauthorizedRole: "anonymous", withoutSecret: true }],
];

/** Of these folders some cases are for another server than the rest, which neither their names nor their texts tell. */
const others: readonly (readonly [RegExp, ServerFlags, string])[] = [
  [/(^|\/)naming_conventions?\//, { namingConvention: "graphql-default" }, "HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION=graphql-default"],
];

const none: ServerFlags = {};

/** @param name path of the folder and case, such as `…/functions/permissions/get_articles` */
export function flagsFor(name: string): ServerFlags {
  return byName.find(([pattern]) => pattern.test(name))?.[1] ?? none;
}

/** With what else a case may be meant to be run, when it fails: flags, and how a report calls them. */
export function otherFlagsFor(name: string): readonly { readonly flags: ServerFlags; readonly called: string }[] {
  return others.filter(([pattern]) => pattern.test(name)).map(([, flags, called]) => ({ flags: { ...flagsFor(name), ...flags }, called }));
}
