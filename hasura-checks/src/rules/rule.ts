import type { Catalog } from "@routeql/metadata/catalog/catalog";
import type { State } from "@routeql/engine/execution/state";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { Metadata } from "@routeql/metadata/read/shape";
import type { Configuration } from "../configuration.ts";
import type { Place, Severity } from "../findings/finding.ts";
import type { Project } from "../metadata/project.ts";
import type { PlacedPermission } from "../metadata/walk.ts";
import type { VisibleRows } from "../permissions/observe/visible-rows.ts";

/** The input of a rule. */
export interface Examined {
  readonly project: Project;
  readonly metadata: Metadata;
  readonly configuration: Pick<Configuration, "sessionVariables" | "inferFunctionPermissions" | "unauthorizedRole"> &
    Partial<Pick<Configuration, "trustedRoles">>;
  /** Version of the Hasura that serves the metadata. Default: the version that this project pins. */
  readonly hasuraVersion?: string;
  /** With a database: the catalogue of each source, in order. */
  readonly catalogs: readonly (Catalog | undefined)[] | undefined;
  readonly state: State | undefined;
  /** With a database: rows that the roles see. */
  readonly visible?: readonly VisibleRows[];
  /** With a base revision. */
  readonly base:
    | { readonly project: Project; readonly metadata: Metadata; readonly state: State | undefined }
    | undefined;
}

export interface Found extends Place {
  /** Place in the merged metadata. */
  readonly at: MergedPath;
  readonly reason: string;
  readonly remedy?: string;
  /** Overrides the severity of the rule. */
  readonly severity?: Severity;
}

/** A finding about a permission. @param part its key in the permission */
export function inPermission(
  { key: table, role, at }: Pick<PlacedPermission, "key" | "role" | "at">,
  part: string | undefined,
  reason: string,
): Found {
  return { at: part === undefined ? at : [...at, part], table, role, reason };
}

/** One rule. The documentation is generated from the rules. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  /** Requirements besides the metadata. */
  readonly needs?: "database" | "base" | "base and database" | "sessionVariables in hasura-checks.yaml";
  /** The object of a finding, as a noun phrase. */
  readonly finds: string;
  readonly why: string;
  readonly remedy: string;
  find(examined: Examined): readonly Found[];
}

export function isTrusted(role: string, { configuration: { trustedRoles } }: Pick<Examined, "configuration">): boolean {
  return trustedRoles?.includes(role) === true;
}

interface Roles {
  readonly configuration: Pick<Configuration, "unauthorizedRole">;
}

const usual = /^(anonymous|anon|public|guest|unauthenticated|unauthorized)$/i;

const unambiguous = /^(anonymous|anon|unauthenticated|unauthorized)$/i;

/** Whether the role certainly serves requests without a token: by the configuration, or by an unambiguous name. */
export function isCertainlyUnauthorized(role: string, { configuration }: Roles): boolean {
  const { unauthorizedRole } = configuration;
  return unauthorizedRole === undefined ? unambiguous.test(role) : role === unauthorizedRole;
}

/** Whether requests without a token have the role. */
export function isUnauthorized(role: string, { configuration }: Roles): boolean {
  const { unauthorizedRole } = configuration;
  return unauthorizedRole === undefined ? usual.test(role) : role === unauthorizedRole;
}
