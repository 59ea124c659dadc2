import { migrationNames } from "@routeql/database/migrate/migration-names";
import { compareVersions } from "@routeql/pins/advisories";
import { newestOwnMigration } from "./settings/own-metadata.ts";
import infraPackage from "./package.json" with { type: "json" };

/** Recorded in the output `release` by each deployment. */
export interface Release {
  /** Of RouteQL; semantic. */
  readonly version: string;
  /** The newest migration, which the database has after the deployment. */
  readonly migration: string;
  /** The newest migration of the operator. */
  readonly ownMigration?: string;
}

export const release: Release = { version: infraPackage.version, migration: migrationNames().at(-1) ?? "" };

const named = ({ version, migration }: Release): string => `RouteQL ${version} (migration ${migration})`;

const numbersOf = (version: string): string => version.replace(/[+-].*/, "");

/** A refusal without a full stop at its end, and the next step. */
export interface Refusal {
  readonly problem: string;
  readonly remedy: string;
}

/** Why this checkout must not update a stack: migrations run forward only. @param recorded output `release`, if there is one */
export function olderThanStack(stack: string, recorded: unknown, own: Release = release): Refusal | undefined {
  if (!isRelease(recorded)) return undefined;
  const order = compareVersions(numbersOf(own.version), numbersOf(recorded.version));
  // Development checkouts share a version, so the migrations decide.
  if (order > 0 || (order === 0 && own.migration >= recorded.migration)) return undefined;
  return {
    problem: `The stack ${stack} was deployed by ${named(recorded)}, which is newer than this checkout, ${named(own)}. Nothing was changed`,
    remedy: `use a checkout of ${recorded.version}. To go back, restore a backup of ${own.version} into a new stack: docs/operate/upgrade.md`,
  };
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
