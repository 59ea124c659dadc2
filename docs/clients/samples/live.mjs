// Prints the latest updates, and prints them again whenever they change.
import { createClient } from "graphql-ws";
import { accessToken } from "./token.mjs";

const client = createClient({
  url: `${process.env.ROUTEQL_URL.replace(/^http/, "ws")}/api/graphql`,
  // Called for each connection, so a connection after the token's end starts with a new token.
  connectionParams: async () => ({ headers: { Authorization: `Bearer ${await accessToken()}` } }),
  retryAttempts: Infinity,
  on: { closed: ({ code, reason }) => console.error(`closed with ${code} ${reason}`) },
});

const query = `subscription {
  view_bgpupdates(limit: 3, order_by: {timestamp: desc}) { timestamp prefix origin_as }
}`;

for await (const result of client.iterate({ query })) {
  console.log(JSON.stringify(result.data ?? result.errors));
}
