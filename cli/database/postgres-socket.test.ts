import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { Client } from "pg";
import { expect, test } from "vitest";
import { connectedMark, RelaySocket } from "./postgres-socket.ts";

/** One frame of an attached container: type 1 is its standard output, type 2 its standard error. */
const frame = (output: 1 | 2, text: string): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = output;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

/** An attached container that the test controls. */
const attachment = (): Duplex => new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });

const loginOver = (socket: RelaySocket): Promise<unknown> => {
  const client = new Client({ stream: () => socket, user: "routeql_owner", database: "routeql" });
  client.on("error", () => undefined);
  return client.connect();
};

test("reports a database that refuses the connection, also before the socket has an owner", async () => {
  const attached = attachment();
  const socket = new RelaySocket(attached);
  attached.push(frame(2, "connect ECONNREFUSED 192.0.2.1:5432\n"));
  attached.push(null);
  await expect(socket.connected).rejects.toThrow(
    "the relay to the database ended: connect ECONNREFUSED 192.0.2.1:5432",
  );
  await turn();
  await expect(loginOver(socket)).rejects.toThrow("connect ECONNREFUSED");
});

test("reports an engine that breaks the connection between the database's answer and the login", async () => {
  const attached = attachment();
  const socket = new RelaySocket(attached);
  attached.push(frame(1, connectedMark));
  await socket.connected;
  attached.destroy(new Error("read ECONNRESET"));
  await turn();
  await expect(loginOver(socket)).rejects.toThrow("read ECONNRESET");
});

test("reports an engine that closes the connection without an end", async () => {
  const attached = attachment();
  const socket = new RelaySocket(attached);
  attached.destroy();
  await expect(socket.connected).rejects.toThrow("the relay to the database ended: no reason given");
});
