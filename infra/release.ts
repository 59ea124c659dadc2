import { migrationNames } from "@routeql/database/migrate/migration-names";
import { compareVersions } from "@routeql/pins/advisories";
import { buildNumber } from "./build-number.ts";
import { newestOwnMigration } from "./settings/values/own-metadata.ts";
import infraPackage from "./package.json" with { type: "json" };

/** Recorded in the output `release` by each deployment. */
export interface Release {
  /** Of RouteQL; semantic. */
  readonly version: string;
  /** The newest migration, which the database has after the deployment. */
  readonly migration: string;
  /** {@link buildNumber}; absent if the deploying source has none. */
  readonly build?: number;
  /** The newest migration of the operator. */
  readonly ownMigration?: string;
  /** Name of the stack, which is in the names of its volumes and namespace. */
  readonly stack?: string;
}

const build = buildNumber();

export const release: Release = {
  version: infraPackage.version,
  migration: migrationNames().at(-1) ?? "",
  ...(build === undefined ? {} : { build }),
};

const named = ({ version, migration, build }: Release): string =>
  `RouteQL ${version} (${build === undefined ? "" : `build ${build}, `}migration ${migration})`;

const numbersOf = (version: string): string => version.replace(/[+-].*/, "");

/** A refusal without a full stop at its end, and the next step. */
export interface Refusal {
  readonly problem: string;
  readonly remedy: string;
}

/** Why this checkout must not update a stack: migrations run forward only. @param recorded output `release`, if there is one */
export function olderThanStack(stack: string, recorded: unknown, own: Release = release): Refusal | undefined {
  if (!isRelease(recorded)) return undefined;
  if (compare(own, recorded) >= 0) return undefined;
  const state =
    recorded.build === undefined ? recorded.version : `${recorded.version}, build ${recorded.build} or later`;
  return {
    problem: `The stack ${stack} was deployed by ${named(recorded)}, which is newer than this checkout, ${named(own)}. Nothing was changed`,
    remedy: `use a checkout of ${state}. To go back, restore a backup with npm run restore into a new stack of this checkout: docs/operate/upgrade.md#go-back`,
  };
}

/** Why a renamed stack must not be updated: volumes or a namespace of another name would replace those with the data. @param recorded output `release` */
export function renamedStack(stack: string, recorded: unknown): Refusal | undefined {
  if (!isRelease(recorded) || recorded.stack === undefined || recorded.stack === stack) return undefined;
  return {
    problem:
      `The stack ${stack} was deployed with the name ${recorded.stack}, which is in the names of its volumes and other objects. ` +
      "An update would replace the volumes with the data. Nothing was changed",
    remedy: `give the name back: pulumi stack rename ${recorded.stack}. For another name, restore a backup into a new stack: docs/operate/backup.md#restore`,
  };
}

/** Negative if the first release is older. Development checkouts share a version: their migrations decide, then their builds. */
function compare(one: Release, other: Release): number {
  const order = compareVersions(numbersOf(one.version), numbersOf(other.version));
  if (order !== 0) return order;
  if (one.migration !== other.migration) return one.migration < other.migration ? -1 : 1;
  return one.build === undefined || other.build === undefined ? 0 : one.build - other.build;
}

/** A warning about the order of releases, which a checkout without history does not know. @param recorded output `release` */
export function unknownOrder(stack: string, recorded: unknown, own: Release = release): readonly string[] {
  if (!isRelease(recorded) || recorded.build === undefined || own.build !== undefined) return [];
  if (own.version !== recorded.version || own.migration !== recorded.migration) return [];
  return [
    `This source has no history (a shallow clone or an archive), so RouteQL cannot tell whether it is older than ${named(recorded)}, which deployed the stack ${stack}. ` +
      "git fetch --unshallow brings the history of a clone.",
  ];
}

/** @param recorded value of the stack's output `release` @param migrations folder of the operator */
export const hasNewMigrations = (recorded: unknown, migrations: string | undefined): boolean =>
  !isRelease(recorded) ||
  recorded.migration !== release.migration ||
  (recorded.ownMigration ?? "") !== newestOwnMigration(migrations);

export const isRelease = (value: unknown): value is Release =>
  typeof value === "object" &&
  value !== null &&
  ["version", "migration"].every((name) => typeof (value as Record<string, unknown>)[name] === "string");
