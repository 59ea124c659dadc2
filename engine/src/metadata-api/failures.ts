/**
 * Problems of metadata, in Hasura's wording.
 * @module
 */
import { EngineError } from "../errors.ts";
import type { Inconsistency, MetadataError, Problem } from "@routeql/metadata/read/problems";
import { refusal, type Change, type Json } from "./commands/change.ts";
import { hasuraObject, inconsistentReason } from "./inconsistent-object.ts";

/** An object that is not served, in the format of `get_inconsistent_metadata`. */
export function describe(metadata: Json, problem: Inconsistency): unknown {
  const { path, definition } = problem;
  const { type, name } = hasuraObject(metadata, problem);
  return { type, name, reason: problem.kind === "inconsistent" ? inconsistentReason(problem) : problem.reason, path, definition };
}

function describeProblem(metadata: Json, problem: Problem | Inconsistency): unknown {
  const { path, reason } = problem;
  return "definition" in problem ? describe(metadata, problem) : { path, reason };
}

/**
 * Hasura's error for metadata that does not match the databases; for metadata that Hasura would not parse, an error that lists all
 * problems.
 * @param metadata the rejected metadata
 * @param place of the metadata in the value at the path
 */
export function refusalOf({ problems }: MetadataError, metadata: Json, path: string, place = ""): EngineError {
  const internal = problems.map((problem) => describeProblem(metadata, problem));
  if (problems.every(({ kind }) => kind === "inconsistent")) return refusal("unexpected", "cannot continue due to inconsistent metadata", path, internal);
  const code = problems.some(({ kind }) => kind === "invalid") ? "parse-failed" : "not-supported";
  const message = problems.map((problem) => `${problem.path}: ${problem.reason}`).join("; ");
  return new EngineError({ code, path: `${path}${place}`, message, internal });
}

/** Metadata, and its mismatches with the databases. */
export interface Checked {
  readonly metadata: Json;
  readonly inconsistencies: readonly Inconsistency[];
}

/**
 * Objects that are inconsistent now and were consistent or missing before. Objects that are merely not served do not count as new if they
 * are allowed.
 */
export function newlyUnfit(before: Checked, now: Checked): readonly Inconsistency[] {
  const known = new Set(before.inconsistencies.map((found) => hasuraObject(before.metadata, found).name));
  return now.inconsistencies.filter((found) => found.type !== "metadata" && !known.has(hasuraObject(now.metadata, found).name));
}

/** Reason to reject a command that makes objects inconsistent: that of its own object if possible. */
export function failureOf(metadata: Json, { object }: Change, unfit: readonly Inconsistency[], path: string): EngineError {
  const own = object === undefined ? [] : unfit.filter(({ at }) => object.every((part, index) => at[index] === part));
  const internal = (own.length > 0 ? own : unfit).map((found) => describe(metadata, found));
  if (own.length > 0) return refusal("invalid-configuration", own.map(inconsistentReason).join(", "), `${path}.args`, internal);
  if (object !== undefined) return refusal("unexpected", "cannot continue due to new inconsistent metadata", `${path}.args`, internal);
  return new EngineError({ code: "unexpected", path: `${path}.args`, message: "cannot continue due to newly found inconsistent metadata", internal });
}

/** Converts places that start at the command, `$.args`, to places in the whole request in the errors of the work. */
export function rooted<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { code, status, message, internal } = error;
    throw new EngineError({ code, status, message, internal, path: `${path}${error.path.slice(1)}` });
  }
}
