import { paths } from "@routeql/contract/paths";
import { Failure } from "@routeql/host/failure";
import { WebSocket } from "ws";
import { z } from "zod";
import type { StackAccess } from "./access.ts";
import { authoritiesOf } from "./api-client.ts";

/** Time in milliseconds to connect. */
const handshakeTimeout = 10_000;

/** Messages of graphql-transport-ws. */
const message = z.object({ type: z.string(), payload: z.unknown().optional() });

const refusal = z.object({ errors: z.array(z.object({ message: z.string() })) });

/** Whether an answer over HTTP, of the embedded engine or of Hasura, refuses a document because it is a subscription. */
export const isSubscription = (answer: unknown): boolean =>
  refusal.safeParse(answer).data?.errors.some(({ message: text }) => /not supported over HTTP/.test(text)) === true;

/**
 * Runs a subscription until the signal aborts or the engine ends it.
 * @param take gets each answer
 * @returns whether the engine rejected it; then the last answer has its errors @throws {Failure} when the connection ends
 */
export async function followLiveQuery(
  access: Pick<StackAccess, "url" | "caFile">,
  token: string,
  request: { readonly query: string; readonly variables?: unknown },
  take: (answer: unknown) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const address = new URL(paths.graphql, access.url.replace(/^http/, "ws"));
  const options = { handshakeTimeout, ca: await authoritiesOf(access) };
  const socket = new WebSocket(address, "graphql-transport-ws", options);
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const send = (type: string, rest: object = {}): void => socket.send(JSON.stringify({ type, ...rest }));
  const stop = (): void => resolve(false);
  socket.on("open", () => send("connection_init", { payload: { headers: { Authorization: `Bearer ${token}` } } }));
  const receive = (text: string): void => {
    const { type, payload } = message.parse(JSON.parse(text));
    if (type === "connection_ack") send("subscribe", { id: "1", payload: request });
    else if (type === "ping") send("pong");
    else if (type === "next") take(payload);
    else if (type === "complete") resolve(false);
    else if (type === "error") {
      take({ errors: payload });
      resolve(true);
    }
  };
  const end = (reason: string): void =>
    reject(new Failure(`The subscription ended: ${reason}`, { remedy: "run the command again." }));
  socket.on("message", (data: Buffer) => {
    try {
      receive(data.toString());
    } catch {
      end("the server sent a message that is not of graphql-transport-ws");
    }
  });
  socket.on("error", (error) => end(error.message));
  socket.on("close", (code, reason) => end(`${reason.toString() || "the connection ended"} (${code})`));
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", stop);
    socket.close();
  }
}
