// Marks a hijack as a false alarm, and prints the hijack before and after the change: node flags.mjs KEY
import { createClient } from "graphql-ws";
import { api, session } from "./account.mjs";

const variables = { key: process.argv[2] };
const client = session.live(createClient, `${api.replace(/^http/, "ws")}/api/graphql`);

async function setIgnored() {
  const response = await session.fetch(`${api}/api/graphql`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      query: `mutation ($key: String!) {
        update_view_hijacks_by_pk(pk_columns: {key: $key}, _set: {ignored: true, seen: true}) { key }
      }`,
      variables,
    }),
  });
  const { errors } = await response.json();
  if (errors !== undefined) throw new Error(errors[0].message);
}

const query = "subscription ($key: String!) { view_hijacks_by_pk(key: $key) { prefix active ignored seen } }";
let changed = false;
for await (const { data, errors } of client.iterate({ query, variables })) {
  console.log(JSON.stringify(data ?? errors));
  if (changed) break;
  changed = true;
  await setIgnored();
}
await client.dispose();
