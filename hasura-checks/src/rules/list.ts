import { hasuraAdvisory } from "./advisories.ts";
import { declaredTwice } from "./declared-twice.ts";
import { queryDocument } from "./documents.ts";
import { inferredFunction } from "./exposure.ts";
import { inheritanceConflict, inheritanceOverridden, nestedInheritedRole, unknownPart } from "./inheritance.ts";
import { shadowedName } from "./names.ts";
import { openInEffect, unboundBranch } from "./open-filters.ts";
import { anonymousWrite, everyRowWritable, ownerPresetMissing, rowGivenAway, writeWiderThanRead } from "./writing.ts";
import { allColumns, everyRow, nothingGranted, rowLimit } from "./reading.ts";
import { noPrimaryKey, reference, roleSpelling, unjoinableRelationship } from "./references.ts";
import { refusedName, restEndpoint } from "./refused.ts";
import { breakingChange, changedPermission, widenedPermission } from "./revisions.ts";
import type { Rule } from "./rule.ts";
import {
  sessionVariableSpelling,
  sessionVariableVariants,
  spoofableSession,
  unsetSessionVariable,
} from "./sessions.ts";
import { secretColumn, secretInMetadata } from "./secrets.ts";
import { fileNotIncluded, metadataShape, notExamined } from "./shape.ts";
import { unreadableText } from "./unreadable-texts.ts";

/** The rules for whole metadata, in the order of the documentation. */
export const rules: readonly Rule[] = [
  reference,
  refusedName,
  queryDocument,
  restEndpoint,
  declaredTwice,
  unjoinableRelationship,
  unreadableText,
  everyRow,
  unboundBranch,
  openInEffect,
  rowLimit,
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
  changedPermission,
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

const needs: Readonly<Record<string, string>> = {
  database: "needs a database",
  base: "needs a base revision",
  "base and database": "needs a base revision and a database",
};

const capital = (text: string) => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;

const longestLine = 160;

/** Lines of at most 160 characters. */
const wrapped = (text: string) => text.replaceAll(new RegExp(`(.{1,${longestLine}})(?: |$)`, "g"), "$1\n").trimEnd();

/** All rules with reasons and remedies as Markdown, for `lint --rules`. */
export function rulesDocument(): string {
  const entries = allRules.map(({ id, severity, needs: what, finds, why, remedy }) => {
    const condition = what === undefined ? "" : `, ${needs[what] ?? `needs ${what}`}`;
    const lines = [`${capital(severity)}${condition}. Finds ${finds}.`, why, `Remedy: ${remedy}.`].map(wrapped);
    return `## ${id}\n\n${lines.join("\n\n")}\n`;
  });
  return ["# Rules of `hasura-checks lint`\n", ...entries].join("\n");
}
