// Prints the rows of a stream, each once, also after a lost connection: node follow.mjs [POSITION]
import { createClient } from "graphql-ws";
import { api, session } from "./account.mjs";
import { followStream } from "./stream.mjs";

const client = session.connect(createClient, `${api.replace(/^http/, "ws")}/api/graphql`);
const query = `subscription ($from: bigint!) {
  view_bgpupdates_log_stream(batch_size: 100, cursor: {initial_value: {position: $from}}) {
    position generation timestamp prefix peer_asn as_path
  }
}`;
followStream(
  client,
  { query, from: Number(process.argv[2] ?? 0) },
  { row: (row) => console.log(JSON.stringify(row)), error: (reason) => console.error(reason) },
);
