import { createGraphiQLFetcher, type Fetcher } from "@graphiql/toolkit";
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
  return { fetcher, dispose: () => void client.dispose() };
}

function headersOf(init: RequestInit | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(init?.headers).entries());
}
