// Apollo Client 4: queries over HTTP, subscriptions over WebSocket.
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { OperationTypeNode } from "graphql";
import { createClient } from "graphql-ws";
import { api, session } from "./account.mjs";

const http = new HttpLink({ uri: `${api}/api/graphql`, fetch: session.fetch });
const sockets = session.live(createClient, `${api.replace(/^http/, "ws")}/api/graphql`);

const client = new ApolloClient({
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    new GraphQLWsLink(sockets),
    http,
  ),
  // Hijacks are identified by `key`; updates have no identifier.
  cache: new InMemoryCache({
    typePolicies: { view_hijacks: { keyFields: ["key"] }, view_bgpupdates: { keyFields: false } },
  }),
});

const { data } = await client.query({
  query: gql`
    query LatestHijacks($limit: Int!) {
      view_hijacks(limit: $limit, order_by: { time_last: desc }) {
        key
        prefix
        hijack_as
        type
      }
    }
  `,
  variables: { limit: 3 },
});
console.log("query", JSON.stringify(data.view_hijacks));

client
  .subscribe({
    query: gql`
      subscription {
        view_bgpupdates(limit: 1, order_by: { timestamp: desc }) {
          timestamp
          prefix
        }
      }
    `,
  })
  .subscribe({
    next: (result) => console.log("subscription", JSON.stringify(result.data)),
    error: (error) => console.error(error),
  });
