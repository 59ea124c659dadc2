/**
 * Subscribers of one live query over WebSockets, in a process of their own. Messages to it: `open` so many more of them; `await` the
 * answers that hold a value, from all of them.
 * @module
 */
import { WebSocket } from "ws";

export interface OpenSubscribers {
  readonly type: "open";
  readonly url: string;
  readonly token: string;
  readonly query: string;
  /** Value of the variable `key`, for one subscriber after the other, again and again. */
  readonly keys: readonly string[];
  readonly connections: number;
  readonly subscriptionsPerConnection: number;
}

export interface AwaitValue {
  readonly type: "await";
  /** Text that an answer has to hold. */
  readonly marker: string;
  readonly milliseconds: number;
}

/** Milliseconds since the epoch, with fractions, at which each answer came. */
export interface Arrivals {
  readonly arrivals: Float64Array;
}

/** Connections opened at a time. */
const width = 50;

let subscribers = 0;
let marker: string | undefined;
let arrivals: number[] = [];
let onArrival: (() => void) | undefined;

process.on("message", (message: OpenSubscribers | AwaitValue) => {
  if (message.type === "open") void openAll(message).then(() => process.send?.({ opened: subscribers }));
  else void awaitAll(message).then((result) => process.send?.(result));
});
process.on("disconnect", () => process.exit(0));

async function openAll(wanted: OpenSubscribers): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < wanted.connections) {
      next += 1;
      await openOne(wanted);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Resolves when each subscription of a new connection has had its first answer. */
function openOne({ url, token, query, keys, subscriptionsPerConnection }: OpenSubscribers): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, "graphql-transport-ws", { perMessageDeflate: false, headers: { authorization: `Bearer ${token}` } });
    const answered = new Set<string>();
    socket.on("open", () => socket.send('{"type":"connection_init"}'));
    socket.on("error", reject);
    socket.on("close", (code) => reject(new Error(`a subscriber was closed with ${code}`)));
    socket.on("message", (data: Buffer) => {
      const at = performance.timeOrigin + performance.now();
      const text = data.toString("latin1");
      if (text.includes('"next"')) {
        if (marker !== undefined && text.includes(marker)) {
          arrivals.push(at);
          onArrival?.();
        }
        if (answered.size === subscriptionsPerConnection) return;
        answered.add(/"id":"(\d+)"/.exec(text)?.[1] ?? "");
        if (answered.size === subscriptionsPerConnection) resolve();
      } else if (text.includes('"connection_ack"')) {
        for (let id = 0; id < subscriptionsPerConnection; id += 1) {
          const key = keys[subscribers % keys.length];
          subscribers += 1;
          socket.send(JSON.stringify({ id: String(id), type: "subscribe", payload: { query, variables: { key } } }));
        }
      } else if (text.includes('"ping"')) socket.send('{"type":"pong"}');
      else if (text.includes('"error"')) reject(new Error(text));
    });
  });
}

/** Answers counted from now on; those that came before cannot hold a value that is not there yet. */
function awaitAll(wanted: AwaitValue): Promise<Arrivals> {
  marker = wanted.marker;
  arrivals = [];
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      onArrival = undefined;
      resolve({ arrivals: Float64Array.from(arrivals) });
    };
    const timer = setTimeout(finish, wanted.milliseconds);
    onArrival = () => {
      if (arrivals.length === subscribers) finish();
    };
  });
}
