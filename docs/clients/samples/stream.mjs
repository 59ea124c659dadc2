// Copy of console/src/client-stream.mjs, written by `npm run documents`; do not edit.
/**
 * Subscribes to a stream of rows with a `timestamp`. After a lost connection it starts again some seconds before the last row, and drops the rows
 * that it has. The position stays in memory.
 * @template {{ timestamp: string }} Row
 * @param {import("graphql-ws").Client} client
 * @param {{ query: string, from: string, overlapSeconds?: number }} options the query has the variable `$from` and one root field
 * @param {{ row: (row: Row) => void, error: (reason: unknown) => void }} sink
 * @returns {() => void} ends the subscription
 */
export function followStream(client, { query, from, overlapSeconds = 60 }, sink) {
  // graphql-ws sends this object again with each connection.
  const variables = { from };
  /** How often each row of the overlap arrived, of all connections and of this one. @type {Map<string, number>} */
  const have = new Map();
  let arrived = new Map();
  const unlisten = client.on("connected", () => (arrived = new Map()));

  function take(/** @type {Row} */ row) {
    const identity = JSON.stringify(row);
    const count = (arrived.get(identity) ?? 0) + 1;
    arrived.set(identity, count);
    if (count <= (have.get(identity) ?? 0)) return;
    have.set(identity, count);
    sink.row(row);
  }

  /** Moves the time from which the next connection starts. Rows before it will not come again. */
  function advance(/** @type {string} */ newest) {
    const start = Date.parse(`${newest}Z`) - overlapSeconds * 1000;
    if (start - Date.parse(`${variables.from}Z`) < overlapSeconds * 1000) return;
    variables.from = new Date(start).toISOString().slice(0, -1);
    for (const rows of [have, arrived])
      for (const identity of rows.keys()) if (JSON.parse(identity).timestamp < variables.from) rows.delete(identity);
  }

  const end = client.subscribe(
    { query, variables },
    {
      next: ({ data, errors }) => {
        if (errors !== undefined) return sink.error(errors[0]);
        const rows = /** @type {Row[]} */ (Object.values(data ?? {})[0] ?? []);
        rows.forEach(take);
        const last = rows.at(-1);
        if (last !== undefined) advance(last.timestamp);
      },
      error: sink.error,
      complete: unlisten,
    },
  );
  return end;
}
