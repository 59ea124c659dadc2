import { createGraphiQLFetcher, type Fetcher, type FetcherParams } from "@graphiql/toolkit";
import { type DocumentNode, Kind, parse } from "graphql";
import { createLiveQueries } from "./live-queries.ts";
import { endpoint, type Session } from "./session.ts";

/** The requests of one GraphiQL. */
export interface Requests {
  readonly fetcher: Fetcher;
  /** Ends the live queries, as when another tab opens. */
  readonly endLiveQueries: () => void;
  readonly dispose: () => void;
}

/** Sends queries with `fetch` and subscriptions over one WebSocket, both with the session's credentials. */
export function createRequests(session: Session, onLiveState: (words: string) => void): Requests {
  const live = createLiveQueries(session, onLiveState);
  const fetcher = createGraphiQLFetcher({
    url: endpoint,
    wsClient: live.client,
    fetch: (input, init) => session.fetch(input, { ...init, credentials: "omit" }),
  });
  return {
    fetcher: (params, options) => {
      const document = parsed(params.query);
      return fetcher(
        { ...params, operationName: operationIn(document, params) },
        { ...options, documentAST: document },
      );
    },
    endLiveQueries: live.endAll,
    dispose: () => void live.client.dispose(),
  };
}

/** The document, or undefined when it has a syntax error, which the engine reports. */
function parsed(query: string): DocumentNode | undefined {
  try {
    return parse(query);
  } catch {
    return undefined;
  }
}

/** The operation to execute. GraphiQL updates its name about 100 ms after the text, so it may still name the previous one. */
function operationIn(document: DocumentNode | undefined, { operationName }: FetcherParams): string | undefined {
  const names = document?.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value] : [],
  );
  return names === undefined || names.length > 1 ? (operationName ?? undefined) : names[0];
}
