import { PassThrough } from "node:stream";
import { PortForward } from "@kubernetes/client-node";
import { encryption } from "../database/encryption.ts";
import { PostgresSocket } from "../database/postgres-socket.ts";
import type { DatabaseRole } from "../stack/outputs.ts";
import { valuesOf } from "../stack/values.ts";
import { connectCluster } from "./connect.ts";
import { connectionFailure } from "./connection-error.ts";
import { checkedReach, databasePod } from "./database-pod.ts";
import type { Place } from "./place.ts";

const databasePort = 5432;

/** A stream pair that is connected from the start. */
class ForwardedSocket extends PostgresSocket {
  readonly connected = Promise.resolve();
  readonly #fromPod: PassThrough;
  readonly #toPod: PassThrough;

  constructor(fromPod: PassThrough, toPod: PassThrough) {
    super();
    this.#fromPod = fromPod;
    this.#toPod = toPod;
    fromPod.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) fromPod.pause();
    });
    fromPod.once("end", () => this.push(null));
  }

  override _read(): void {
    this.#fromPod.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#toPod.write(chunk, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#toPod.end();
    done(error);
  }
}

/** A connection to the database's pod by the API server's port forwarding, as kubectl has it. */
export async function openDatabaseInPod(place: Place, stack: string, role: DatabaseRole) {
  const values = await valuesOf(stack);
  const { config, cluster } = await connectCluster();
  const pod = await databasePod(cluster, place, values, stack);
  const reach = await checkedReach(cluster, place, values);
  const [fromPod, toPod] = [new PassThrough(), new PassThrough()];
  const opened = await new PortForward(config)
    .portForward(place.namespace, pod.name, [databasePort], fromPod, null, toPod)
    .catch((error: unknown) => {
      throw connectionFailure(pod.name, error);
    });
  const socket = new ForwardedSocket(fromPod, toPod);
  const connection = typeof opened === "function" ? opened() : opened;
  connection?.addEventListener("close", () => fromPod.end());
  return {
    config: { ...encryption(reach), stream: () => socket, user: `routeql_${role}`, password: values.databasePasswords[role] },
    close: async () => {
      socket.destroy();
      connection?.close();
    },
  };
}
