/** Subscribers of one live query in a separate process: `open` adds some; `await` waits until all have received a value. */
import { WebSocket } from "ws";
import { answerMessages } from "./helper-process.ts";

export interface OpenSubscribers {
  readonly type: "open";
  readonly url: string;
  readonly token: string;
  /** PEM of the authority to trust, for a wss URL. */
  readonly authority?: string | undefined;
  readonly query: string;
  /** Values of the variable `key`, used by the subscribers in turn. */
  readonly keys: readonly string[];
  readonly connections: number;
  readonly subscriptionsPerConnection: number;
}

export interface AwaitValue {
  readonly type: "await";
  /** Text that an answer must contain. */
  readonly marker: string;
  readonly milliseconds: number;
}

/** Connections opened concurrently. */
const width = 50;

let subscribers = 0;
let marker: string | undefined;
let arrivals: number[] = [];
let onArrival: (() => void) | undefined;

answerMessages((message: OpenSubscribers | AwaitValue) =>
  message.type === "open" ? openAll(message) : awaitAll(message),
);

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
function openOne({ url, token, authority, query, keys, subscriptionsPerConnection }: OpenSubscribers): Promise<void> {
  return new Promise((resolve, reject) => {
    // The types of ws omit the options of TLS that it passes on.
    const trust = authority === undefined ? {} : { ca: authority, servername: "localhost" };
    const socket = new WebSocket(url, "graphql-transport-ws", {
      perMessageDeflate: false,
      ...trust,
      headers: { authorization: `Bearer ${token}` },
    });
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

/** Counts only answers from now on, to a value that did not exist before. @returns arrival times in milliseconds since the epoch */
function awaitAll(wanted: AwaitValue): Promise<Float64Array> {
  marker = wanted.marker;
  arrivals = [];
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      onArrival = undefined;
      resolve(Float64Array.from(arrivals));
    };
    const timer = setTimeout(finish, wanted.milliseconds);
    onArrival = () => {
      if (arrivals.length === subscribers) finish();
    };
  });
}
