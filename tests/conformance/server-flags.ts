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
}

const byName: readonly (readonly [RegExp, ServerFlags])[] = [
  [/(^|\/)functions\/permissions\//, { inferFunctionPermissions: false }],
  [/(^|\/)allowlist/, { enableAllowList: true }],
  [/(^|\/)unauthorized_role\/.*_unauth_role_not_set$/, { withoutSecret: true }],
  [/(^|\/)unauthorized_role\//, { unauthorizedRole: "anonymous", withoutSecret: true }],
];

const none: ServerFlags = {};

/** @param name folder and case, such as `functions/permissions/get_articles` */
export function flagsFor(name: string): ServerFlags {
  return byName.find(([pattern]) => pattern.test(name))?.[1] ?? none;
}
