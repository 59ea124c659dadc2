// Prints the latest updates, and prints them again whenever they change.
import { createClient } from "graphql-ws";
import { api, session } from "./account.mjs";

const client = session.live(createClient, `${api.replace(/^http/, "ws")}/api/graphql`, {
  closed: ({ code, reason }) => console.error(`closed with ${code} ${reason}`),
});

const query = `subscription {
  view_bgpupdates(limit: 3, order_by: {timestamp: desc}) { timestamp prefix origin_as }
}`;

for await (const result of client.iterate({ query })) {
  console.log(JSON.stringify(result.data ?? result.errors));
}
