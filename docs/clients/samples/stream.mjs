// Copy of console/src/client-stream.mjs, written by `npm run documents`; do not edit.
/**
 * Subscribes to a stream of rows with a `position` (view_bgpupdates_log, view_hijacks_log). After a lost connection it continues after the last
 * row. Keep the last position to continue after a restart.
 * @template {{ position: number, generation?: number }} Row
 * @param {import("graphql-ws").Client} client
 * @param {{ query: string, from?: number, generation?: number }} options the query has the variable `$from` and one root field; `generation` is
 *   the newest of view_log_generations
 * @param {{ row: (row: Row) => void, error: (reason: unknown) => void, pastChanged?: (row: Row) => void }} sink `pastChanged`: read rows may be gone
 * @returns {() => void} ends the subscription
 */
export function followStream(client, { query, from = 0, generation = Infinity }, sink) {
  // graphql-ws sends this object again with each connection.
  const variables = { from };
  let known = generation;

  function take(/** @type {Row} */ row) {
    if (row.generation !== undefined && row.generation > known) {
      known = row.generation;
      sink.pastChanged?.(row);
    }
    variables.from = row.position;
    sink.row(row);
  }

  return client.subscribe(
    { query, variables },
    {
      next: ({ data, errors }) => {
        if (errors !== undefined) return sink.error(errors[0]);
        const rows = /** @type {Row[]} */ (Object.values(data ?? {})[0] ?? []);
        rows.forEach(take);
      },
      error: sink.error,
      complete: () => undefined,
    },
  );
}
