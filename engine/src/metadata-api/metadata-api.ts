import { EngineError, legacyError, toEngineError } from "../errors.ts";
import { MetadataError, type Inconsistency } from "@routeql/metadata/read/problems";
import type { MetadataDraft } from "../metadata-store/metadata-draft.ts";
import type { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";
import { refusal, type Change } from "./commands/change.ts";
import { nativeObjects } from "./commands/native-commands.ts";
import { dropInconsistent } from "./drop-inconsistent.ts";
import { describe, failureOf, newlyUnfit, refusalOf, rooted, type Checked } from "./failures.ts";
import { parseMetadataRequest, type MetadataRequest } from "./request.ts";

/** Answers requests of Hasura's metadata API with the reply as JSON values. */
export interface MetadataApi {
  /** @throws EngineError */
  answer(request: unknown): Promise<unknown>;
}

type Command = Extract<MetadataRequest, { type: "command" }>;

const success = { message: "success" };
const emptyMetadata = { version: 3, sources: [] };

/** Dropping an object can leave other objects without their dependencies. */
const mostRounds = 20;

export function createMetadataApi(keeper: Pick<MetadataKeeper, "change" | "draft" | "reload" | "toolState" | "setToolState">): MetadataApi {
  async function answer(request: MetadataRequest): Promise<unknown> {
    if (request.type === "get_catalog_state") return keeper.toolState();
    if (request.type === "set_catalog_state") {
      await keeper.setToolState(request.tool, request.state);
      return success;
    }
    const reloads = has(request, ({ type }) => type === "reload_metadata");
    if (has(request, changes)) {
      return keeper.change((draft) => {
        draft.isReload = reloads;
        return run(draft, request, "$");
      }, request.resourceVersion);
    }
    if (reloads) await keeper.reload();
    return run(keeper.draft(), request, "$");
  }

  return {
    async answer(request) {
      const parsed = parseMetadataRequest(request);
      try {
        return await answer(parsed);
      } catch (error) {
        throw error instanceof MetadataError ? refusalOf(error, {}, "$.args") : error;
      }
    },
  };
}

/** Whether a request, or one in its list, meets a condition. */
function has(request: MetadataRequest, isSuch: (request: MetadataRequest) => boolean): boolean {
  return "requests" in request ? request.requests.some((item) => has(item, isSuch)) : isSuch(request);
}

/** Whether a request may change the stored metadata. */
function changes({ type }: MetadataRequest): boolean {
  return type === "command" || type === "replace_metadata" || type === "clear_metadata" || type === "drop_inconsistent_metadata";
}

async function stateOf(draft: MetadataDraft) {
  const inconsistencies = await draft.inconsistencies();
  return { is_consistent: inconsistencies.length === 0, inconsistent_objects: inconsistencies.map((found) => describe(draft.metadata, found)) };
}

function reloaded({ is_consistent: isConsistent, inconsistent_objects: objects }: Awaited<ReturnType<typeof stateOf>>): unknown {
  return { ...success, is_consistent: isConsistent, ...(isConsistent ? {} : { inconsistent_objects: objects }) };
}

async function run(draft: MetadataDraft, request: MetadataRequest, path: string): Promise<unknown> {
  switch (request.type) {
    case "export_metadata":
      return request.version === 1 ? draft.metadata : { resource_version: draft.resourceVersion, metadata: draft.metadata };
    case "replace_metadata":
      draft.metadata = request.metadata;
      await checked(draft, request.allowInconsistent, path, ".metadata");
      return request.version === 1 ? success : stateOf(draft);
    case "clear_metadata":
      draft.metadata = emptyMetadata;
      return success;
    case "reload_metadata":
      return reloaded(await stateOf(draft));
    case "get_inconsistent_metadata":
      return stateOf(draft);
    case "drop_inconsistent_metadata":
      await drop(draft);
      return success;
    case "get_native_query":
      return nativeObjects(draft.metadata, "native_queries", request.source);
    case "get_logical_model":
      return nativeObjects(draft.metadata, "logical_models", request.source);
    case "command":
      return carryOut(draft, request, path);
    case "refused":
      throw request.error;
    case "get_catalog_state":
    case "set_catalog_state":
      throw new EngineError({ code: "not-supported", path: `${path}.type`, message: `${request.type} is not supported in a list: send it alone` });
    case "bulk":
    case "bulk_keep_going":
    case "bulk_atomic":
      break;
  }
  if (request.type === "bulk_atomic") return runAtOnce(draft, request.requests, path);
  return runList(draft, request.requests, path, request.type === "bulk" ? run : runOrTell);
}

/** @param place of the metadata in the request's arguments */
async function checked(draft: MetadataDraft, allowInconsistent: boolean, path: string, place = ""): Promise<void> {
  try {
    await draft.check(allowInconsistent);
  } catch (error) {
    throw error instanceof MetadataError ? refusalOf(error, draft.metadata, `${path}.args`, place) : error;
  }
}

async function drop(draft: MetadataDraft): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    const inconsistencies = await draft.inconsistencies();
    if (!inconsistencies.some(({ kind }) => kind === "inconsistent")) return;
    draft.metadata = dropInconsistent(draft.metadata, inconsistencies) as Record<string, unknown>;
  }
}

/** The draft after the command, before the check against the databases. @throws EngineError */
function applied(draft: MetadataDraft, { command, args }: Command, path: string): Change {
  const change = rooted(path, () => command(draft.metadata, args));
  draft.metadata = change.metadata;
  return change;
}

function answerOf(change: Change, path: string): unknown {
  return rooted(path, () => change.answer?.() ?? success);
}

/** New inconsistencies of a draft; none for an unchanged one. @throws EngineError */
async function newlyUnfitIn(draft: MetadataDraft, before: Checked, path: string): Promise<readonly Inconsistency[]> {
  if (draft.metadata === before.metadata) return [];
  await checked(draft, true, path);
  return newlyUnfit(before, await checkedOf(draft));
}

async function checkedOf(draft: MetadataDraft): Promise<Checked> {
  return { metadata: draft.metadata, inconsistencies: await draft.inconsistencies() };
}

async function carryOut(draft: MetadataDraft, request: Command, path: string): Promise<unknown> {
  const before = await checkedOf(draft);
  const change = applied(draft, request, path);
  for (let round = 0; ; round += 1) {
    const unfit = await newlyUnfitIn(draft, before, path);
    if (unfit.length === 0) return answerOf(change, path);
    const mended = round < mostRounds ? rooted(path, () => change.mend?.(draft.metadata, unfit)) : undefined;
    if (mended === undefined) throw failureOf(draft.metadata, change, unfit, path);
    draft.metadata = mended;
  }
}

const at = (path: string, index: number): string => `${path}.args[${String(index)}]`;

/**
 * Checks a whole list against the databases at once. If something is inconsistent, checks each half separately, down to the failing
 * command. One bad command of many thus costs few database checks.
 */
async function runList(draft: MetadataDraft, requests: readonly MetadataRequest[], path: string, runOne: typeof run, first = 0): Promise<unknown[]> {
  const [only] = requests;
  if (only !== undefined && requests.length === 1) return [await runOne(draft, only, at(path, first))];
  const answers = await runTogether(draft, requests, path, first);
  if (answers !== undefined) return answers;
  const half = Math.ceil(requests.length / 2);
  const former = await runList(draft, requests.slice(0, half), path, runOne, first);
  return [...former, ...(await runList(draft, requests.slice(half), path, runOne, first + half))];
}

/** Undefined, with the draft unchanged, when something is inconsistent, must run alone or is not a command. */
async function runTogether(draft: MetadataDraft, requests: readonly MetadataRequest[], path: string, first: number): Promise<unknown[] | undefined> {
  if (!requests.every(({ type }) => type === "command")) return undefined;
  const before = await checkedOf(draft);
  try {
    const done = (requests as readonly Command[]).map((request, index) => applied(draft, request, at(path, first + index)));
    if (done.every(({ goesAlone }) => goesAlone !== true) && (await newlyUnfitIn(draft, before, path)).length === 0) return done.map((change, index) => answerOf(change, at(path, first + index)));
  } catch (error) {
    // Each further step would wait for the silent database again.
    if (!(error instanceof EngineError) || error.code === "postgres-error") throw error;
  }
  draft.metadata = before.metadata;
  return undefined;
}

/** Runs a request; its error becomes its reply. */
async function runOrTell(draft: MetadataDraft, request: MetadataRequest, path: string): Promise<unknown> {
  const { metadata } = draft;
  try {
    return await run(draft, request, path);
  } catch (error) {
    draft.metadata = metadata;
    return legacyError(toEngineError(error), true);
  }
}

/** All or nothing: a later command may repair an inconsistency of an earlier one. */
async function runAtOnce(draft: MetadataDraft, requests: readonly MetadataRequest[], path: string): Promise<unknown> {
  const before = await checkedOf(draft);
  const done: Change[] = [];
  for (const [index, request] of requests.entries()) {
    if (request.type === "refused") throw request.error;
    const change = request.type === "command" ? applied(draft, request, at(path, index)) : undefined;
    if (change === undefined || change.goesAlone === true) throw new EngineError({ code: "unexpected", path: `${path}.args`, message: "Bulk atomic does not support this command" });
    done.push(change);
  }
  const unfit = await newlyUnfitIn(draft, before, path);
  if (unfit.length > 0) throw refusal("unexpected", "cannot continue due to new inconsistent metadata", `${path}.args`, unfit.map((found) => describe(draft.metadata, found)));
  // A command's reply reports the parts of its request that it could not do.
  for (const [index, change] of done.entries()) answerOf(change, at(path, index));
  return success;
}
