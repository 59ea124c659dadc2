/**
 * What is wrong with metadata, in Hasura's words for it.
 * @module
 */
import { EngineError } from "../errors.ts";
import type { Inconsistency, MetadataError, Problem } from "@routeql/metadata/read/problems";
import { refusal, type Change, type Json } from "./commands/change.ts";
import { hasuraObject, inconsistentReason } from "./inconsistent-object.ts";

/** An object that is not served, as `get_inconsistent_metadata` lists it. */
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
 * Hasura's error for metadata that do not fit the databases; for metadata that it would not have read, one that lists all that is wrong.
 * @param metadata what was refused
 * @param place of the metadata in what is at the path
 */
export function refusalOf({ problems }: MetadataError, metadata: Json, path: string, place = ""): EngineError {
  const internal = problems.map((problem) => describeProblem(metadata, problem));
  if (problems.every(({ kind }) => kind === "inconsistent")) return refusal("unexpected", "cannot continue due to inconsistent metadata", path, internal);
  const code = problems.some(({ kind }) => kind === "invalid") ? "parse-failed" : "not-supported";
  const message = problems.map((problem) => `${problem.path}: ${problem.reason}`).join("; ");
  return new EngineError({ code, path: `${path}${place}`, message, internal });
}

/** Metadata, and what of them does not fit the databases. */
export interface Checked {
  readonly metadata: Json;
  readonly inconsistencies: readonly Inconsistency[];
}

/** Objects that fitted before, or were not there, and do not fit now. What is only not served is nothing new to who allows it. */
export function newlyUnfit(before: Checked, now: Checked): readonly Inconsistency[] {
  const known = new Set(before.inconsistencies.map((found) => hasuraObject(before.metadata, found).name));
  return now.inconsistencies.filter((found) => found.type !== "metadata" && !known.has(hasuraObject(now.metadata, found).name));
}

/** Why a command is refused that leaves objects unfit: by its own object, if that is among them. */
export function failureOf(metadata: Json, { object }: Change, unfit: readonly Inconsistency[], path: string): EngineError {
  const own = object === undefined ? [] : unfit.filter(({ at }) => object.every((part, index) => at[index] === part));
  const internal = (own.length > 0 ? own : unfit).map((found) => describe(metadata, found));
  if (own.length > 0) return refusal("invalid-configuration", own.map(inconsistentReason).join(", "), `${path}.args`, internal);
  if (object !== undefined) return refusal("unexpected", "cannot continue due to new inconsistent metadata", `${path}.args`, internal);
  return new EngineError({ code: "unexpected", path: `${path}.args`, message: "cannot continue due to newly found inconsistent metadata", internal });
}

/** Does something that names places from the command on, `$.args`; its errors name them from the whole request on. */
export function rooted<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { code, status, message, internal } = error;
    throw new EngineError({ code, status, message, internal, path: `${path}${error.path.slice(1)}` });
  }
}
