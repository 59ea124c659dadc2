// Prints the rows of a stream, each once, also after a lost connection.
import { createClient } from "graphql-ws";
import { api, session } from "./account.mjs";
import { followStream } from "./stream.mjs";

const client = session.connect(createClient, `${api.replace(/^http/, "ws")}/api/graphql`);
const query = `subscription ($from: timestamp!) {
  view_bgpupdates_stream(batch_size: 100, cursor: {initial_value: {timestamp: $from}}) { timestamp prefix peer_asn as_path }
}`;
const from = process.argv[2] ?? new Date().toISOString().slice(0, -1);
followStream(client, { query, from }, { row: (row) => console.log(JSON.stringify(row)), error: console.error });
