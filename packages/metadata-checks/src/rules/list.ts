import { inferredFunction, secretColumn, secretInMetadata } from "./exposure.ts";
import { hasuraAdvisory } from "./advisories.ts";
import { fileNotIncluded } from "./files.ts";
import { inheritanceConflict, inheritanceOverridden, nestedInheritedRole, unknownPart } from "./inheritance.ts";
import { shadowedName } from "./names.ts";
import { unboundBranch } from "./open-branches.ts";
import { openInEffect } from "./open-in-effect.ts";
import { ownerPresetMissing, writeWiderThanRead } from "./owners.ts";
import { allColumns, everyRow, nothingGranted, rowLimit, unlimitedAggregates } from "./reading.ts";
import { noPrimaryKey, reference, roleSpelling } from "./references.ts";
import { breakingChange, widenedPermission } from "./revisions.ts";
import type { Rule } from "./rule.ts";
import {
  sessionVariableSpelling,
  sessionVariableVariants,
  spoofableSession,
  unsetSessionVariable,
} from "./sessions.ts";
import { metadataShape, notExamined } from "./shape.ts";
import { unjoinableRelationship } from "./unjoinable.ts";
import { anonymousWrite, everyRowWritable, rowGivenAway } from "./writing.ts";

/** The rules for whole metadata, in the order of the documentation. */
export const rules: readonly Rule[] = [
  reference,
  unjoinableRelationship,
  everyRow,
  unboundBranch,
  openInEffect,
  rowLimit,
  unlimitedAggregates,
  allColumns,
  nothingGranted,
  secretColumn,
  everyRowWritable,
  rowGivenAway,
  writeWiderThanRead,
  ownerPresetMissing,
  anonymousWrite,
  unsetSessionVariable,
  spoofableSession,
  sessionVariableSpelling,
  sessionVariableVariants,
  inferredFunction,
  unknownPart,
  inheritanceOverridden,
  inheritanceConflict,
  nestedInheritedRole,
  roleSpelling,
  shadowedName,
  noPrimaryKey,
  secretInMetadata,
  widenedPermission,
  breakingChange,
  hasuraAdvisory,
];

/** About the configuration itself. */
export const unusedException = {
  id: "unused-exception",
  severity: "warning",
  finds: "an exception in hasura-checks.yaml that matches no finding",
  why: "The original finding is gone. The exception would hide the next finding at this place.",
  remedy: "remove it",
} as const;

export type DescribedRule = Pick<Rule, "id" | "severity" | "needs" | "finds" | "why" | "remedy">;

/** All rules, including those for files and the configuration. */
export const allRules: readonly DescribedRule[] = [
  metadataShape,
  notExamined,
  fileNotIncluded,
  ...rules,
  unusedException,
];
