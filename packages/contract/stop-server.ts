import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { Server as PlainServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds for which idle connections still serve requests. The gateway closes a connection that is idle for half of that time. */
export const quietMilliseconds = 2000;
/** Milliseconds between checks for idle connections. */
const idleInterval = 50;
/** Turns of the event loop in which the backlog becomes empty. Bounded, because clients may connect without end. */
const mostTurns = 100;

/** Stops a server behind a proxy without losing a request: closes idle connections after two seconds, others after the grace period. */
export async function stopServer(server: Server, graceMilliseconds: number, quiet = quietMilliseconds): Promise<void> {
  const closed = once(server, "close");
  server.prependListener("request", closeAfterwards);
  await acceptWaiting(server);
  // The server's own close() would also close idle connections, although a request may be on its way on one of them.
  PlainServer.prototype.close.call(server);
  let idle: NodeJS.Timeout | undefined;
  const waiting = setTimeout(
    () => {
      idle = setInterval(() => server.closeIdleConnections(), idleInterval);
    },
    Math.min(quiet, graceMilliseconds),
  );
  const cut = setTimeout(() => server.closeAllConnections(), graceMilliseconds);
  await closed;
  clearTimeout(waiting);
  clearInterval(idle);
  clearTimeout(cut);
}

/** Accepts the connections in the backlog, which closing would reset: until a turn brings none. The first turn may be the rest of the present one. */
async function acceptWaiting(server: Server): Promise<void> {
  let quiet = 0;
  const noise = (): void => void (quiet = 0);
  server.on("connection", noise);
  for (let turn = 0; quiet < 2 && turn < mostTurns; turn++) {
    quiet += 1;
    await nextTurn();
  }
  server.off("connection", noise);
}

function closeAfterwards(_request: unknown, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}
