import { expect } from "vitest";
import type { Environment } from "@routeql/contract/environment";
import type { FakeBehaviour } from "./fake-engine.ts";
import { serveFake, type ServedFake } from "./served-engine.ts";
import { SocketClient } from "./socket-client.ts";

export interface Connected extends AsyncDisposable {
  readonly server: ServedFake;
  readonly client: SocketClient;
}

export interface Protocol {
  /** Name of the WebSocket subprotocol. */
  readonly name: string;
  /** The message that opens the session. */
  readonly init: object;
}

/** A served fake engine and a client of the protocol with an open socket. */
export async function connectClient(
  { name }: Protocol,
  behaviour: FakeBehaviour,
  environment: Environment,
): Promise<Connected> {
  const server = await serveFake(behaviour, environment);
  const client = await new SocketClient(server.webSocketUrl, name).opened();
  return { server, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** The same, after the acknowledgement of connection_init. */
export async function initialiseClient(
  protocol: Protocol,
  behaviour: FakeBehaviour,
  environment: Environment,
): Promise<Connected> {
  const connected = await connectClient(protocol, behaviour, environment);
  connected.client.send(protocol.init);
  expect(await connected.client.next()).toEqual({ type: "connection_ack" });
  return connected;
}
