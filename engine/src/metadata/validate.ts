import type { z } from "zod";
import type { LoadedMetadata, MergedPath } from "./load.ts";
import type { Problem } from "./problems.ts";
import { metadataShape, type Metadata } from "./shape.ts";
import { without } from "./without.ts";

export interface ValidMetadata {
  readonly metadata: Metadata | undefined;
  readonly problems: readonly Problem[];
}

interface FlatIssue {
  readonly path: MergedPath;
  readonly reason: string;
  readonly unsupported: boolean;
}

/** Unions report every branch; the branch that got furthest is the one that was meant. */
function flatten(issue: z.core.$ZodIssue, prefix: MergedPath): FlatIssue[] {
  const path = [...prefix, ...(issue.path as (string | number)[])];
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const branches = issue.errors.map((errors) => errors.flatMap((inner) => flatten(inner, path)));
    const meant = branches.find((branch) => branch.some((found) => found.path.length > path.length || found.reason.startsWith("unknown key")));
    if (meant !== undefined) return meant;
    return [{ path, reason: `this is neither of the forms that are allowed here (${branches.map((branch) => branch[0]?.reason ?? "").join("; ")})`, unsupported: false }];
  }
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], reason: "unknown key", unsupported: false }));
  }
  const unsupported = issue.code === "custom" && issue.params?.["unsupported"] === true;
  return [{ path, reason: issue.message, unsupported }];
}

/**
 * Checks the shape of metadata; every problem is listed.
 * @param allowUnsupported leave out what is not served, still listing it, when nothing else is wrong
 */
export function validateMetadata(loaded: LoadedMetadata, allowUnsupported: boolean): ValidMetadata {
  const result = metadataShape.safeParse(loaded.merged);
  if (result.success) return { metadata: loaded.problems.length === 0 ? result.data : undefined, problems: loaded.problems };
  const issues = result.error.issues.flatMap((issue) => flatten(issue, []));
  const problems = issues.map(({ path, reason, unsupported }): Problem => ({ ...loaded.locate(path), reason, kind: unsupported ? "unsupported" : "invalid", at: path }));
  const all = [...loaded.problems, ...problems];
  if (!allowUnsupported || all.some(({ kind }) => kind !== "unsupported")) return { metadata: undefined, problems: all };
  const served = issues.reduce<unknown>((merged, { path }) => without(merged, path), loaded.merged);
  const again = metadataShape.safeParse(served);
  return { metadata: again.success ? again.data : undefined, problems: all };
}
