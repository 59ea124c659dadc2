import { WebSocket } from "ws";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Transport {
  readonly name: "http" | "websocket";
  send(port: number, url: string, headers: Readonly<Record<string, string>>, body: unknown): Promise<Answer>;
}

export const http: Transport = {
  name: "http",
  async send(port, url, headers, body) {
    const response = await fetch(`http://127.0.0.1:${port}${url}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) };
  },
};

const patience = 10_000;

/** One query over a WebSocket of the legacy `graphql-ws` protocol, as Hasura's own suite sends it. */
export const websocket: Transport = {
  name: "websocket",
  send: (port, url, headers, body) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${url}`, "graphql-ws");
      const timer = setTimeout(() => finish(() => reject(new Error("no answer over the WebSocket within 10 s"))), patience);
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
        else if (message.type === "connection_error") finish(() => resolve({ status: 200, body: { errors: [{ message: message.payload }] } }));
        else if (message.type === "data" || message.type === "error") answer = message.payload;
        else if (message.type === "complete") finish(() => resolve({ status: 200, body: withoutNullData(answer) }));
      });
    }),
};

/** An error while a query runs comes with `data: null` over a WebSocket, and without over HTTP. */
function withoutNullData(payload: unknown): unknown {
  if (typeof payload !== "object" || payload === null || !("errors" in payload)) return payload;
  return { errors: payload.errors };
}
