import { EngineError, legacyError, toEngineError } from "../errors.ts";
import { MetadataError } from "@routeql/metadata/read/problems";
import type { MetadataDraft, MetadataKeeper } from "../metadata-store/metadata-keeper.ts";
import { emptyMetadata } from "../metadata-store/store.ts";
import { describe, dropInconsistent, refusalOf } from "./inconsistencies.ts";
import { parseMetadataRequest, type MetadataRequest } from "./request.ts";

const success = { message: "success" };

/** Dropping an object can leave other objects without their dependencies. */
const mostRounds = 20;

type Keeper = Pick<MetadataKeeper, "change" | "draft" | "reload" | "toolState" | "setToolState">;

/** Answers a request of Hasura's metadata API with the reply as JSON values. @throws EngineError */
export async function answerMetadataRequest(keeper: Keeper, request: unknown): Promise<unknown> {
  const parsed = parseMetadataRequest(request);
  try {
    return await answer(keeper, parsed);
  } catch (error) {
    throw error instanceof MetadataError ? refusalOf(error, {}, "$.args") : error;
  }
}

async function answer(keeper: Keeper, request: MetadataRequest): Promise<unknown> {
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

/** Whether a request, or one in its list, meets a condition. */
function has(request: MetadataRequest, isSuch: (request: MetadataRequest) => boolean): boolean {
  return "requests" in request ? request.requests.some((item) => has(item, isSuch)) : isSuch(request);
}

function changes({ type }: MetadataRequest): boolean {
  return type === "replace_metadata" || type === "clear_metadata" || type === "drop_inconsistent_metadata";
}

async function stateOf(draft: MetadataDraft) {
  const inconsistencies = await draft.inconsistencies();
  return {
    is_consistent: inconsistencies.length === 0,
    inconsistent_objects: inconsistencies.map((found) => describe(draft.metadata, found)),
  };
}

function reloaded({
  is_consistent: isConsistent,
  inconsistent_objects: objects,
}: Awaited<ReturnType<typeof stateOf>>): unknown {
  return { ...success, is_consistent: isConsistent, ...(isConsistent ? {} : { inconsistent_objects: objects }) };
}

async function run(draft: MetadataDraft, request: MetadataRequest, path: string): Promise<unknown> {
  switch (request.type) {
    case "export_metadata":
      return request.version === 1
        ? draft.metadata
        : { resource_version: draft.resourceVersion, metadata: draft.metadata };
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
    case "refused":
      throw request.error;
    case "get_catalog_state":
    case "set_catalog_state":
      throw new EngineError({
        code: "not-supported",
        path: `${path}.type`,
        message: `${request.type} is not supported in a list: send it alone`,
      });
    default:
      return runList(draft, request.requests, path, request.type === "bulk" ? run : runOrTell);
  }
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

async function runList(
  draft: MetadataDraft,
  requests: readonly MetadataRequest[],
  path: string,
  runOne: typeof run,
): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const [index, request] of requests.entries())
    replies.push(await runOne(draft, request, `${path}.args[${String(index)}]`));
  return replies;
}

async function runOrTell(draft: MetadataDraft, request: MetadataRequest, path: string): Promise<unknown> {
  const { metadata } = draft;
  try {
    return await run(draft, request, path);
  } catch (error) {
    draft.metadata = metadata;
    return legacyError(toEngineError(error), { withInternal: true });
  }
}
