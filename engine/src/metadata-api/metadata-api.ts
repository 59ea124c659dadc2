import { EngineError, legacyError, toEngineError } from "../errors.ts";
import { MetadataError, type Inconsistency, type Problem } from "../metadata/problems.ts";
import type { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";
import { dropInconsistent } from "./drop-inconsistent.ts";
import { parseMetadataRequest, type MetadataRequest } from "./request.ts";

/** Answers requests of Hasura's metadata API with what is to be sent as JSON. */
export interface MetadataApi {
  /** @throws EngineError */
  answer(request: unknown): Promise<unknown>;
}

const success = { message: "success" };
const emptyMetadata = { version: 3, sources: [] };

/** Dropping an object can leave others without what they stand on. */
const mostDropRounds = 20;

export function createMetadataApi(keeper: Pick<MetadataKeeper, "metadata" | "resourceVersion" | "inconsistencies" | "replace" | "reload">): MetadataApi {
  function state() {
    const { inconsistencies } = keeper;
    return { is_consistent: inconsistencies.length === 0, inconsistent_objects: inconsistencies.map(describe) };
  }

  async function drop(resourceVersion: number | undefined): Promise<void> {
    let expectedVersion = resourceVersion;
    for (let round = 0; round < mostDropRounds; round += 1) {
      const { inconsistencies } = keeper;
      if (!inconsistencies.some(({ kind }) => kind === "inconsistent")) return;
      const metadata = dropInconsistent(keeper.metadata, inconsistencies) as Record<string, unknown>;
      await keeper.replace(metadata, { allowInconsistent: true, expectedVersion });
      expectedVersion = undefined;
    }
  }

  async function run(request: MetadataRequest, path: string): Promise<unknown> {
    const expectedVersion = request.resourceVersion;
    switch (request.type) {
      case "export_metadata":
        return request.version === 1 ? keeper.metadata : { resource_version: keeper.resourceVersion, metadata: keeper.metadata };
      case "replace_metadata":
        await keeper.replace(request.metadata, { allowInconsistent: request.allowInconsistent, expectedVersion });
        return request.version === 1 ? success : state();
      case "clear_metadata":
        await keeper.replace(emptyMetadata, { allowInconsistent: false, expectedVersion });
        return success;
      case "reload_metadata": {
        await keeper.reload();
        const { is_consistent: isConsistent, inconsistent_objects: objects } = state();
        return { ...success, is_consistent: isConsistent, ...(isConsistent ? {} : { inconsistent_objects: objects }) };
      }
      case "get_inconsistent_metadata":
        return state();
      case "drop_inconsistent_metadata":
        await drop(expectedVersion);
        return success;
      case "bulk":
      case "bulk_keep_going":
        break;
    }
    return request.type === "bulk" ? runAll(request.requests, path) : runEach(request.requests, path);
  }

  /** One after the other; the first that fails ends it, and those before it stay done. */
  async function runAll(requests: readonly unknown[], path: string, first = 0): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const [index, item] of requests.entries()) {
      const at = `${path}.args[${String(first + index)}]`;
      answers.push(await guarded(parseMetadataRequest(item, at), at));
    }
    return answers;
  }

  /** One after the other; the error of one stands in its place, and the others go on. */
  async function runEach(requests: readonly unknown[], path: string): Promise<unknown> {
    const answers: unknown[] = [];
    for (const [index, item] of requests.entries()) {
      try {
        answers.push(...(await runAll([item], path, index)));
      } catch (error) {
        answers.push(legacyError(toEngineError(error), true));
      }
    }
    return answers;
  }

  async function guarded(request: MetadataRequest, path: string): Promise<unknown> {
    try {
      return await run(request, path);
    } catch (error) {
      throw error instanceof MetadataError ? refusal(error, path) : error;
    }
  }

  return { answer: async (request) => guarded(parseMetadataRequest(request), "$") };
}

function describe(problem: Problem | Inconsistency): unknown {
  const { path, reason } = problem;
  if (!("definition" in problem)) return { path, reason };
  return { type: problem.type, name: problem.name, reason, path, definition: problem.definition };
}

/** Hasura's error for metadata that do not fit the databases; for metadata that it would not have read, one that lists all that is wrong. */
function refusal({ problems }: MetadataError, path: string): EngineError {
  const internal = problems.map(describe);
  if (problems.every(({ kind }) => kind === "inconsistent")) {
    return new EngineError({ code: "unexpected", status: 400, path: `${path}.args`, message: "cannot continue due to inconsistent metadata", internal });
  }
  const code = problems.some(({ kind }) => kind === "invalid") ? "parse-failed" : "not-supported";
  const message = problems.map((problem) => `${problem.path}: ${problem.reason}`).join("; ");
  return new EngineError({ code, path: `${path}.args.metadata`, message, internal });
}
