import { createGraphiQLFetcher, type Fetcher, type FetcherParams } from "@graphiql/toolkit";
import { type DocumentNode, Kind, parse } from "graphql";
import { createClient } from "graphql-ws";
import { endpoint, type Session } from "./session.ts";

/** Sends queries with `fetch` and subscriptions over one WebSocket, both with the session's credentials. */
export function createFetcher(session: Session): { readonly fetcher: Fetcher; readonly dispose: () => void } {
  const client = createClient({
    url: new URL(endpoint, location.href.replace(/^http/, "ws")).href,
    connectionParams: async () => ({ headers: await session.socketHeaders() }),
  });
  const fetcher = createGraphiQLFetcher({
    url: endpoint,
    wsClient: client,
    fetch: async (input, init) =>
      fetch(input, { ...init, credentials: "omit", headers: { ...headersOf(init), ...(await session.httpHeaders()) } }),
  });
  return {
    fetcher: (params, options) => {
      const document = parsed(params.query);
      return fetcher(
        { ...params, operationName: operationIn(document, params) },
        { ...options, documentAST: document },
      );
    },
    dispose: () => void client.dispose(),
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

function headersOf(init: RequestInit | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(init?.headers).entries());
}
