// urql: queries over HTTP, subscriptions over WebSocket.
import { Client, fetchExchange, gql, subscriptionExchange } from "@urql/core";
import { createClient } from "graphql-ws";
import { api, session } from "./account.mjs";

const url = `${api}/api/graphql`;
const sockets = session.live(createClient, url.replace(/^http/, "ws"));

const client = new Client({
  url,
  preferGetMethod: false,
  fetch: session.fetch,
  exchanges: [
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query, variables }) => ({
        subscribe: (sink) => ({ unsubscribe: sockets.subscribe({ query, variables }, sink) }),
      }),
    }),
  ],
});

const { data, error } = await client.query(
  gql`
    {
      view_hijacks(limit: 3, order_by: { time_last: desc }) {
        key
        prefix
      }
    }
  `,
  {},
);
if (error) throw error;
console.log("query", JSON.stringify(data.view_hijacks));

client
  .subscription(
    gql`
      subscription {
        view_bgpupdates(limit: 1, order_by: { timestamp: desc }) {
          timestamp
          prefix
        }
      }
    `,
    {},
  )
  .subscribe((result) => console.log("subscription", JSON.stringify(result.data ?? result.error?.message)));
