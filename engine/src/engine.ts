/** The public API of the package: creates an engine, and its types. */
import { EmbeddedEngine } from "./execution/embedded-engine.ts";
import type { Engine, EngineOptions } from "./interface.ts";

/** Reads metadata, connects, and checks that both match. @throws MetadataError; EngineError when a database does not answer */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  return EmbeddedEngine.create(options);
}

/** Runs a query with a role, for tests and scripts. @param session `x-hasura-*` variables, lower-case @throws EngineError */
export async function query(
  engine: Pick<Engine, "execute">,
  role: string,
  session: Readonly<Record<string, string>>,
  document: string,
  variables?: Record<string, unknown>,
): Promise<unknown> {
  const request = { query: document, ...(variables === undefined ? {} : { variables }) };
  const text = await engine.execute(request, {
    role,
    isAdmin: role === "admin",
    variables: new Map(Object.entries(session)),
  });
  return (JSON.parse(text) as { readonly data: unknown }).data;
}

export type { Bytes } from "./postgres/bytes.ts";
export { EngineError, errorReply, toEngineError, type EngineErrorCode } from "./errors.ts";
export { MetadataError, type Inconsistency, type Problem } from "@routeql/metadata/read/problems";
export type { ChangeObserver, NoticeFigures, Observation, PolledReason } from "./notices/observation.ts";
export type {
  Session,
  GraphQLRequest,
  ExecuteOptions,
  PollOptions,
  LiveQuery,
  PollAnswer,
  ExplainedField,
  ExplainedSubscription,
  ExplainedVariables,
  EngineStatistics,
  Engine,
  PrepareOptions,
  PreparedMetadata,
  Rehearsal,
  EngineOptions,
  EngineEvent,
} from "./interface.ts";
