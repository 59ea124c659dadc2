import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { guardGrpcServers, userOfPeer } from "./own-peers.ts";

beforeAll(guardGrpcServers);
const servers: Server[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.forceShutdown();
});

async function grpcPort(): Promise<number> {
  const server = new Server();
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

/** First bytes of an HTTP/2 server, or "closed". */
async function firstAnswer(port: number): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1");
  const answer = await Promise.race([
    once(socket, "data").then(() => "answered"),
    once(socket, "close").then(() => "closed"),
  ]);
  socket.destroy();
  return answer;
}

test("a gRPC server of a command answers programs of its own user", async () => {
  expect(await firstAnswer(await grpcPort())).toBe("answered");
});

test.runIf(process.platform === "linux")("a gRPC server of a command closes connections of another user", async () => {
  const port = await grpcPort();
  vi.spyOn(process, "getuid").mockImplementation(() => 4_294_000_000);
  expect(await firstAnswer(port)).toBe("closed");
});

test("a gRPC server listens on no other address", () => {
  const server = new Server();
  servers.push(server);
  expect(() => server.bindAsync("0.0.0.0:0", ServerCredentials.createInsecure(), () => undefined)).toThrow(
    "may not listen on 0.0.0.0:0",
  );
});

test("a stopped gRPC server closes its port", async () => {
  const port = await grpcPort();
  servers.pop()!.forceShutdown();
  const again = createServer().listen(port, "127.0.0.1");
  await once(again, "listening");
  expect(again.address()).toMatchObject({ port });
  again.close();
});

const peer = { remoteAddress: "127.0.0.1", remotePort: 443, localAddress: "127.0.0.1", localPort: 80 } as Socket;
const line = (local: string, remote: string, state: string, uid: number, inode: number): string =>
  `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000`;

test.runIf(new Uint8Array(new Uint32Array([1]).buffer)[0] === 1).each([
  ["its user", line("0100007F:01BB", "0100007F:0050", "01", 1001, 77), 1001],
  ["no user for the own end", line("0100007F:0050", "0100007F:01BB", "01", 1001, 77), undefined],
  ["no user for a closing connection", line("0100007F:01BB", "0100007F:0050", "05", 0, 0), undefined],
  ["no user for a socket without a program", line("0100007F:01BB", "0100007F:0050", "01", 0, 0), undefined],
  ["no user for a listener", line("0100007F:01BB", "00000000:0000", "0A", 0, 78), undefined],
])("finds in the kernel's table: %s", (_title, table, uid) => {
  expect(userOfPeer(peer, `  sl  local_address\n${table}\n`)).toBe(uid);
});
