import { readFileSync } from "node:fs";
import { createServer, type Server as TcpServer, type Socket } from "node:net";
import { Server, type ServerCredentials } from "@grpc/grpc-js";

/** Environment variable of the replacement plugins: the only folder of the host that a container may mount. */
export const hostFolderVariable = "ROUTEQL_HOST_FOLDER";

/** An established connection in /proc/net/tcp (proc_pid_net(5)). */
const established = "01";

/** `127.0.0.1:8080` as /proc/net/tcp writes it: the address in the byte order of the machine, both in hexadecimal. */
function tableForm(address: string, port: number): string {
  const bytes = Buffer.from(address.split(".").map(Number));
  const word = new Uint32Array(new Uint8Array(bytes).buffer)[0]!;
  const hexadecimal = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, "0");
  return `${hexadecimal(word, 8)}:${hexadecimal(port, 4)}`;
}

/**
 * User id of the program at the other end of a loopback connection; undefined if that program has closed it or is on another machine.
 * @param table content of /proc/net/tcp
 */
export function userOfPeer(
  { remoteAddress, remotePort, localAddress, localPort }: Socket,
  table: string,
): number | undefined {
  if (remoteAddress === undefined || localAddress === undefined) return undefined;
  const [theirs, ours] = [tableForm(remoteAddress, remotePort!), tableForm(localAddress, localPort!)];
  for (const line of table.split("\n")) {
    const [, local, remote, state, , , , uid, , inode] = line.trim().split(/\s+/);
    // The kernel lists a socket without a program under user 0 and inode 0.
    if (local === theirs && remote === ours && state === established && inode !== "0") return Number(uid);
  }
  return undefined;
}

/** Whether a program of this process' user made the connection. Only Linux can answer; elsewhere every peer counts as one. */
const isOwnPeer = (socket: Socket): boolean =>
  process.platform !== "linux" || userOfPeer(socket, readFileSync("/proc/self/net/tcp", "utf8")) === process.getuid!();

/** Listens on a free port of 127.0.0.1 and closes connections of other users before it reads from them. */
function listenForOwnPeers(accept: (socket: Socket) => void): TcpServer {
  const server = createServer((socket) => {
    if (isOwnPeer(socket)) accept(socket);
    else socket.destroy();
  });
  return server.listen(0, "127.0.0.1");
}

const listeners = new WeakMap<Server, TcpServer>();

/**
 * From now on, the gRPC servers of this process accept connections of its own user only. Pulumi's SDK starts them on 127.0.0.1, where
 * any user of the machine could otherwise run the program of a stack or create resources.
 */
export function guardGrpcServers(): void {
  Server.prototype.bindAsync = function (
    this: Server,
    address: string,
    credentials: ServerCredentials,
    done: (error: Error | null, port: number) => void,
  ): void {
    if (address !== "127.0.0.1:0") throw new Error(`a gRPC server of this process may not listen on ${address}`);
    const injector = this.createConnectionInjector(credentials);
    const listener = listenForOwnPeers((socket) => injector.injectConnection(socket));
    listeners.set(this, listener);
    listener.once("error", (error) => done(error, 0));
    listener.once("listening", () => {
      const bound = listener.address();
      done(null, typeof bound === "object" && bound !== null ? bound.port : 0);
    });
  };
  const prototype: { forceShutdown: (this: Server) => void } = Server.prototype;
  const stop = prototype.forceShutdown;
  prototype.forceShutdown = function (this: Server): void {
    listeners.get(this)?.close();
    stop.call(this);
  };
}
