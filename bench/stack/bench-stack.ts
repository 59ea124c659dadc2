import { readFile } from "node:fs/promises";
import { openDatabase } from "@routeql/cli/database/open-database";
import { accessOf, type StackAccess } from "@routeql/cli/access/access";
import { accessToken } from "@routeql/cli/access/api-client";
import { dockerClient } from "@routeql/host/docker/client";
import { addHostAddress } from "@routeql/tests/harness/docker/host-address";
import { Client } from "pg";
import type { Target } from "../measure/http-load.ts";
import { containerCpuSeconds } from "../measure/server-process.ts";

/** Where a service accepts connections: its container's address, so that Docker's port proxy is not measured. */
export type Place = Pick<Target, "host" | "port" | "authority">;

export interface BenchStack {
  readonly name: string;
  readonly access: StackAccess;
  readonly gateway: Place;
  readonly engine: Place;
  /** A token of the first administrator, with the role operator. */
  readonly token: string;
  readonly databaseUrl: string;
}

/** @param reverted reverts the changes to the machine's networks */
export async function openStack(name: string, reverted: AsyncDisposableStack): Promise<BenchStack> {
  const access = await accessOf(name);
  const authority = await readFile(access.caFile, "utf8");
  const internal = new Set<string>();
  // The host has no address on internal networks: they get one.
  const addressOf = async (service: string): Promise<string> => {
    const docker = dockerClient();
    const { NetworkSettings: settings } = await docker.getContainer(containerOf(name, service)).inspect();
    const [network, { IPAddress: address } = { IPAddress: "" }] = Object.entries(settings.Networks)[0] ?? [];
    if (network === undefined || address === "") throw new Error(`the container of ${service} has no address`);
    const { Internal: isInternal } = (await docker.getNetwork(network).inspect()) as { readonly Internal: boolean };
    if (isInternal && !internal.has(network)) reverted.use(await addHostAddress(network));
    internal.add(network);
    return address;
  };
  const opened = await openDatabase(name, "owner");
  await opened.close();
  const { user = "", password } = opened.config;
  if (typeof password !== "string") throw new Error(`the database of the stack ${name} has no password for its owner`);
  const login = `${user}:${encodeURIComponent(password)}`;
  return {
    name,
    access,
    gateway: { host: await addressOf("gateway"), port: 8443, authority },
    engine: { host: await addressOf("engine"), port: 8080 },
    token: await accessToken(access, { email: access.adminEmail, password: access.adminPassword }),
    databaseUrl: `postgres://${login}@${await addressOf("database")}:5432/routeql`,
  };
}

export const containerOf = (stack: string, service: string): string => `routeql-${stack}-${service}`;

export async function connectOwner({ databaseUrl }: BenchStack): Promise<Client & AsyncDisposable> {
  const client = new Client(databaseUrl);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Seconds of processor time that a service's container has used, in user and kernel. */
export const cpuSecondsOf = ({ name }: BenchStack, service: string): Promise<number> =>
  containerCpuSeconds(containerOf(name, service));
