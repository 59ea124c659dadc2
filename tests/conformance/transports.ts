import { WebSocket } from "ws";

export interface Answer {
  readonly status: number;
  /** undefined for transports without a status. */
  readonly headers: Headers | undefined;
  readonly body: unknown;
}

export interface Request {
  readonly url: string;
  /** Default POST. */
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Transport {
  readonly name: "http" | "websocket";
  send(port: number, request: Request): Promise<Answer>;
}

export const http: Transport = {
  name: "http",
  async send(port, { url, method = "POST", headers, body }) {
    const response = await fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(method === "GET" || method === "HEAD" ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: read(await response.text()) };
  },
};

/** Parses JSON; other text stays text. */
function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const patience = 60_000;

/** One query over a WebSocket of the legacy `graphql-ws` protocol, as Hasura's own suite sends it. */
export const websocket: Transport = {
  name: "websocket",
  send: (port, { url, headers, body }) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${url}`, "graphql-ws");
      const timer = setTimeout(
        () => finish(() => reject(new Error("no answer over the WebSocket within 60 s"))),
        patience,
      );
      let answer: unknown;
      function finish(settle: () => void): void {
        clearTimeout(timer);
        socket.close();
        settle();
      }
      socket.on("open", () => socket.send(JSON.stringify({ type: "connection_init", payload: { headers } })));
      socket.on("error", (error) => finish(() => reject(error)));
      socket.on("close", (code) => finish(() => reject(new Error(`the WebSocket was closed with ${code}`))));
      socket.on("message", (data) => {
        const message = JSON.parse((data as Buffer).toString("utf8")) as { type: string; payload?: unknown };
        if (message.type === "connection_ack") socket.send(JSON.stringify({ type: "start", id: "1", payload: body }));
        else if (message.type === "connection_error")
          finish(() => resolve({ status: 200, headers: undefined, body: { errors: [{ message: message.payload }] } }));
        else if (message.type === "data" || message.type === "error") answer = message.payload;
        else if (message.type === "complete")
          finish(() => resolve({ status: 200, headers: undefined, body: withoutNullData(answer) }));
      });
    }),
};

/** Over a WebSocket an execution error has `data: null`; over HTTP it has no `data`. */
function withoutNullData(payload: unknown): unknown {
  if (typeof payload !== "object" || payload === null || !("errors" in payload)) return payload;
  return { errors: payload.errors };
}
