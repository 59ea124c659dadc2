import { setImmediate as turn } from "node:timers/promises";
import { Client } from "pg";
import { expect, test } from "vitest";
import { RelaySocket } from "./postgres-socket.ts";

const loginOver = (socket: RelaySocket): Promise<unknown> => {
  const client = new Client({ stream: () => socket, user: "routeql_owner", database: "routeql" });
  client.on("error", () => undefined);
  return client.connect();
};

test("reports a database that refuses the connection, also before the socket has an owner", async () => {
  const socket = new RelaySocket(async (_program, { errors }) => {
    errors.write("connect: Connection refused\n");
    return 1;
  });
  await expect(socket.connected).rejects.toThrow("the relay to the database ended: connect: Connection refused");
  await turn();
  await expect(loginOver(socket)).rejects.toThrow("Connection refused");
});

test("reports a connection that breaks between the database's answer and the login", async () => {
  const broken = Promise.withResolvers<number>();
  const socket = new RelaySocket((_program, { output }) => {
    output.write("+");
    return broken.promise;
  });
  await socket.connected;
  broken.reject(new Error("read ECONNRESET"));
  await turn();
  await expect(loginOver(socket)).rejects.toThrow("read ECONNRESET");
});
