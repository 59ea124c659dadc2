import type { z } from "zod";
import { isMissing, missing, wordsOf } from "./issue-words.ts";
import type { LoadedMetadata, MergedPath } from "./load.ts";
import { nearest } from "../nearest.ts";
import type { Problem } from "./problems.ts";
import { type Metadata, metadataShape } from "./shape.ts";

export interface ValidMetadata {
  readonly metadata: Metadata | undefined;
  readonly problems: readonly Problem[];
  /** Valid keys without effect here. */
  readonly notes: readonly Omit<Problem, "kind">[];
}

type IssueKind = "invalid" | "unsupported" | "without-effect";

interface FlatIssue {
  readonly path: MergedPath;
  readonly reason: string;
  readonly kind: IssueKind;
  readonly passedOver?: true;
  /** Parts that are removed if `allowUnsupported` is set. */
  readonly dropped: MergedPath;
}

function kindOf(params: Readonly<Record<string, unknown>> | undefined): IssueKind {
  if (params?.["withoutEffect"] === true) return "without-effect";
  return params?.["unsupported"] === true ? "unsupported" : "invalid";
}

/** Unions report every branch. The intended one is the branch with unsupported parts only, or the one with the deepest problem. */
function flatten(issue: z.core.$ZodIssue, prefix: MergedPath): FlatIssue[] {
  const path = [...prefix, ...(issue.path as (string | number)[])];
  const invalid = (reason: string, at = path): FlatIssue => ({ path: at, reason, kind: "invalid", dropped: at });
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    if (issue.errors.every(([first]) => isMissing(first))) return [invalid(missing)];
    const branches = issue.errors.map((errors) => errors.flatMap((inner) => flatten(inner, path)));
    const meant =
      branches.find((branch) => branch.length > 0 && branch.every(({ kind }) => kind !== "invalid")) ??
      branches.find((branch) =>
        branch.some((found) => found.path.length > path.length || found.reason.startsWith("unknown key")),
      );
    return (
      meant ?? [
        invalid(
          `this is neither of the forms that are allowed here (${[...new Set(branches.map((branch) => branch[0]?.reason ?? ""))].join("; ")})`,
        ),
      ]
    );
  }
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ ...invalid("unknown key", [...path, key]), passedOver: true }));
  if (issue.code !== "custom") return [invalid(wordsOf(issue))];
  const levels = Number(issue.params?.["levels"] ?? 0);
  return [{ path, reason: issue.message, kind: kindOf(issue.params), dropped: path.slice(0, path.length - levels) }];
}

function isUnread(merged: unknown, [part, ...rest]: MergedPath): boolean {
  if (typeof merged !== "object" || merged === null || part === undefined || !(part in merged)) return false;
  const value = (merged as Readonly<Record<string | number, unknown>>)[part];
  return rest.length === 0 ? value === undefined : isUnread(value, rest);
}

const parentOf = ({ path }: FlatIssue): string => JSON.stringify(path.slice(0, -1));

/** Joins an unknown key with a required key that its object lacks, if it can be the same key, misspelt. */
function withoutMisspelt(issues: readonly FlatIssue[]): readonly FlatIssue[] {
  const absent = Map.groupBy(
    issues.filter(({ reason }) => reason === missing),
    parentOf,
  );
  const unknown = Map.groupBy(
    issues.filter(({ passedOver }) => passedOver === true),
    parentOf,
  );
  return issues.flatMap((issue) => {
    const parent = parentOf(issue);
    const [required, ...others] = absent.get(parent) ?? [];
    const keys = unknown.get(parent) ?? [];
    if (required === undefined || others.length > 0 || keys.length !== 1) return [issue];
    const name = String(required.path.at(-1));
    if (nearest(String(keys[0]!.path.at(-1)), [name]) === undefined) return [issue];
    if (issue === required) return [];
    if (issue !== keys[0]) return [issue];
    const { passedOver: _, ...rest } = issue;
    return [{ ...rest, reason: `unknown key, and the required key ${name} is missing` }];
  });
}

/** Checks the shape of metadata and lists every problem. @param allowUnsupported also remove unsupported parts, if nothing else is wrong */
export function validateMetadata(
  loaded: LoadedMetadata,
  { allowUnsupported }: { readonly allowUnsupported: boolean },
): ValidMetadata {
  const result = metadataShape.safeParse(loaded.merged);
  if (result.success)
    return { metadata: loaded.problems.length === 0 ? result.data : undefined, problems: loaded.problems, notes: [] };
  const issues = withoutMisspelt(result.error.issues.flatMap((issue) => flatten(issue, [])));
  const located = (kind: IssueKind): Omit<Problem, "kind">[] =>
    issues
      .filter((issue) => issue.kind === kind)
      .map(({ path, reason, passedOver }) => ({
        ...loaded.locate(path),
        reason,
        at: path,
        ...(passedOver && { passedOver }),
      }));
  const notes = located("without-effect");
  const unsupported = located("unsupported").map((problem): Problem => ({ ...problem, kind: "unsupported" }));
  // The unreadable file is already reported, so its missing content is not.
  const own = located("invalid").filter(({ at }) => loaded.problems.length === 0 || !isUnread(loaded.merged, at));
  const invalid = [...loaded.problems, ...own.map((problem): Problem => ({ ...problem, kind: "invalid" }))];
  const problems = [...invalid, ...unsupported];
  if (invalid.length > 0 || (unsupported.length > 0 && !allowUnsupported))
    return { metadata: undefined, problems, notes };
  const served = withoutAll(
    loaded.merged,
    issues.map(({ dropped }) => dropped),
  );
  const again = metadataShape.safeParse(served);
  if (again.success) return { metadata: again.data, problems, notes };
  // Removing unsupported parts can leave invalid metadata.
  const rest = validateMetadata({ ...loaded, merged: served as LoadedMetadata["merged"] }, { allowUnsupported });
  return { metadata: rest.metadata, problems: [...problems, ...rest.problems], notes: [...notes, ...rest.notes] };
}

function without(value: unknown, path: MergedPath): unknown {
  const [head, ...rest] = path;
  if (head === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return rest.length === 0
      ? value.filter((_item, index) => index !== head)
      : value.map((item, index) => (index === head ? without(item, rest) : item));
  }
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== head));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === head ? without(item, rest) : item]),
  );
}

export function withoutAll(value: unknown, paths: readonly MergedPath[]): unknown {
  const unique = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  // From the end, so that earlier positions do not change.
  return unique
    .sort(compare)
    .toReversed()
    .reduce<unknown>((rest, path) => without(rest, path), value);
}

function compare(one: MergedPath, other: MergedPath): number {
  for (const [index, part] of one.entries()) {
    const against = other[index];
    if (against === undefined) return 1;
    if (part === against) continue;
    if (typeof part === "number" && typeof against === "number") return part - against;
    return String(part) < String(against) ? -1 : 1;
  }
  return one.length - other.length;
}
