import { loginOf } from "@routeql/database/migrate/roles";
import type { KubeConfig } from "@kubernetes/client-node";
import type { OpenedDatabase } from "@routeql/database/shared/opened-database";
import { Failure } from "@routeql/host/failure";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { textAt } from "@routeql/host/kubernetes/objects";
import { clusterDatabase, databaseAddress } from "@routeql/infra/services/database-place";
import { authoritySecret, clusterName } from "@routeql/infra/targets/kubernetes/cloudnative-pg/cluster-spec";
import { encryption } from "../database/connection-settings.ts";
import { PostgresSocket } from "../database/postgres-socket.ts";
import { type DatabaseReach, type DatabaseRole, type StackValues, valuesOf } from "../stack/outputs.ts";
import { Channels } from "./channels.ts";
import { connectTo } from "./connect.ts";
import { relayBeside } from "./outside-database.ts";
import type { Place } from "./place.ts";
import { type Pod, readyPod } from "./pods.ts";

const databasePort = 5432;
/** Channels of the single forwarded port. */
const channel = { data: 0, errors: 1 } as const;
/** The first message of each channel is the port number. */
const portLength = 2;

/** A connection to a port of a pod. */
export class ForwardedSocket extends PostgresSocket {
  readonly connected = Promise.resolve();
  readonly #begun = new Set<number>();
  #channels: Channels | undefined;

  static async open(config: KubeConfig, { namespace }: Place, { name: pod }: Pod): Promise<ForwardedSocket> {
    const socket = new ForwardedSocket();
    const query = new URLSearchParams({ ports: String(databasePort) });
    const channels = await Channels.open(
      config,
      { pod, namespace, what: "portforward", query },
      (number, payload, source) => socket.#take(number, payload, source),
    );
    socket.#channels = channels;
    channels.lost.catch(() => socket.push(null));
    return socket;
  }

  #take(number: number, payload: Buffer, source: Channels): void {
    const data = this.#begun.has(number) ? payload : payload.subarray(portLength);
    this.#begun.add(number);
    if (data.length === 0) return;
    if (number === channel.errors) this.destroy(new Error(data.toString("utf8")));
    else if (number === channel.data && !this.push(data)) source.pause();
  }

  override _read(): void {
    this.#channels?.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#channels!.send(channel.data, chunk, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#channels?.close();
    done(error);
  }
}

/**
 * A connection to the database's pod through the API server's port forwarding, as kubectl does it; for an external database, through a pod
 * beside the stack.
 */
export async function openDatabaseInCluster(place: Place, stack: string, role: DatabaseRole): Promise<OpenedDatabase> {
  const values = await valuesOf(stack);
  const { config, cluster } = await connectTo(place, stack);
  const reach = await checkedReach(cluster, place, values);
  const beside = runsItself(values.database) ? undefined : await relayBeside(cluster, place, values, databasePort);
  try {
    const socket = await ForwardedSocket.open(
      config,
      place,
      beside?.pod ?? (await databasePod(cluster, place, values, stack)),
    );
    return {
      config: {
        ...encryption(reach),
        stream: () => socket,
        user: loginOf(role, values.database.secondLogins),
        password: values.databasePasswords[role],
      },
      close: async () => {
        socket.destroy();
        await beside?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await beside?.[Symbol.asyncDispose]();
    throw error;
  }
}

/** CloudNativePG's labels of the primary. */
const primary = { "cnpg.io/cluster": clusterName, "cnpg.io/instanceRole": "primary" };

const isCluster = ({ host }: DatabaseReach): boolean => host === clusterDatabase({ readFromCopies: false }).host;

/** Whether the stack runs its own database pods. */
export const runsItself = (database: DatabaseReach): boolean =>
  database.host === databaseAddress.host || isCluster(database);

/**
 * The pod of a database that the stack runs itself; in a cluster, the primary.
 * @throws Failure when none is ready
 */
export function databasePod(
  cluster: Cluster,
  place: Place,
  { database }: Pick<StackValues, "database">,
  stack: string,
): Promise<Pod> {
  return readyPod(cluster, place, "database", stack, isCluster(database) ? primary : {});
}

/** Address of the database, with the certificate authority of the cluster's operator. */
export async function checkedReach(
  cluster: Cluster,
  place: Place,
  { database }: Pick<StackValues, "database">,
): Promise<DatabaseReach> {
  if (!isCluster(database)) return database;
  const { name, key } = authoritySecret;
  const held = await cluster.get({ apiVersion: "v1", kind: "Secret", name, namespace: place.namespace });
  const authority = textAt(held, "data", key);
  if (authority === undefined)
    throw new Failure(
      `The namespace ${place.namespace} has no Secret ${name} with the key ${key}, which CloudNativePG creates`,
    );
  return { ...database, authority: Buffer.from(authority, "base64").toString() };
}
