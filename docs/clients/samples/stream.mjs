// Copy of console/src/client-stream.mjs, written by `npm run documents`; do not edit.
/**
 * Subscribes to a stream of rows with a `position` (view_bgpupdates_log, view_hijacks_log). After a lost connection, and after the server was
 * too busy, it continues after the last row. Keep the last position to continue after a restart.
 * @template {{ position: number, generation?: number }} Row
 * @param {import("graphql-ws").Client} client
 * @param {{ query: string, from?: number, generation?: number }} options the query has the variable `$from` and one root field; `generation` is
 *   the newest of view_log_generations
 * @param {{ row: (row: Row) => void, error: (reason: unknown, isFinal: boolean) => void, pastChanged?: (row: Row) => void }} sink
 *   `error`: the stream continues later unless `isFinal`; `pastChanged`: read rows may be gone
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

  let failures = 0;
  let isEnded = false;
  let end = () => {};
  function start() {
    end = client.subscribe(
      { query, variables },
      {
        next: ({ data, errors }) => {
          if (errors !== undefined) return sink.error(errors[0], false);
          failures = 0;
          const rows = /** @type {Row[]} */ (Object.values(data ?? {})[0] ?? []);
          rows.forEach(take);
        },
        error: (reason) => {
          const isBusy = Array.isArray(reason) && reason[0]?.extensions?.code === "busy";
          sink.error(reason, !isBusy);
          if (!isBusy || isEnded) return;
          // Random and growing, so that the streams that the server ended together do not return together.
          const timer = setTimeout(start, 1000 * (1 + Math.random() * Math.min(30, 2 ** ++failures)));
          end = () => clearTimeout(timer);
        },
        complete: () => undefined,
      },
    );
  }
  start();
  return () => {
    isEnded = true;
    end();
  };
}
