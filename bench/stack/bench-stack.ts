import { readFile } from "node:fs/promises";
import { accessFileOf, openDatabase } from "@routeql/cli/api";
import { parseEnvironmentFile } from "@routeql/infra/settings/environment-file";
import { addHostAddress } from "@routeql/tests/harness/host-address";
import { mustRun } from "@routeql/tests/harness/process";
import { Client } from "pg";
import type { Target } from "../measure/http-load.ts";

/** Where a service accepts connections: its container's address, so that Docker's port proxy is not measured. */
export type Place = Pick<Target, "host" | "port" | "authority">;

/** A running stack, as the benchmark's clients see it. */
export class BenchStack implements AsyncDisposable {
  readonly name: string;
  readonly #addresses: StackAddresses;
  readonly #access: ReadonlyMap<string, string>;
  readonly gateway: Place;
  readonly engine: Place;
  /** A token of the first administrator, with the role operator. */
  readonly token: string;

  private constructor(
    name: string,
    addresses: StackAddresses,
    access: ReadonlyMap<string, string>,
    gateway: Place,
    engine: Place,
    token: string,
  ) {
    this.name = name;
    this.#addresses = addresses;
    this.#access = access;
    this.gateway = gateway;
    this.engine = engine;
    this.token = token;
  }

  static async of(name: string): Promise<BenchStack> {
    const { entries } = parseEnvironmentFile(await readFile(accessFileOf(name), "utf8"));
    const access = new Map(entries.map((entry) => [entry.name, entry.value]));
    const authority = await readFile(access.get("ROUTEQL_CA_FILE") ?? "", "utf8");
    const addresses = new StackAddresses(name);
    const gateway = { host: await addresses.of("gateway"), port: 8443, authority };
    const engine = { host: await addresses.of("engine"), port: 8080 };
    return new BenchStack(name, addresses, access, gateway, engine, await tokenFor(access));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#addresses[Symbol.asyncDispose]();
  }

  value(variable: string): string {
    const value = this.#access.get(variable);
    if (value === undefined) throw new Error(`access.env of the stack ${this.name} has no ${variable}`);
    return value;
  }

  /** Connects to the database as the owner of the tables. */
  async owner(): Promise<Client & AsyncDisposable> {
    const opened = await openDatabase(this.name, "owner");
    const client = new Client(opened.config);
    await client.connect();
    return Object.assign(client, {
      async [Symbol.asyncDispose]() {
        await client.end();
        await opened.close();
      },
    });
  }

  /** URL of the database for the role owner, at the container's address. */
  async databaseUrl(): Promise<string> {
    const opened = await openDatabase(this.name, "owner");
    await opened.close();
    const { user = "", password } = opened.config;
    if (typeof password !== "string")
      throw new Error(`the database of the stack ${this.name} has no password for its owner`);
    return `postgres://${user}:${encodeURIComponent(password)}@${await this.#addresses.of("database")}:5432/routeql`;
  }

  /** Seconds of processor time that a service's container has used, in user and kernel. */
  async cpuSeconds(service: string): Promise<number> {
    const files =
      "/sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpuacct/cpuacct.usage /sys/fs/cgroup/cpu,cpuacct/cpuacct.usage";
    const text = await mustRun("docker", [
      "exec",
      containerOf(this.name, service),
      "sh",
      "-c",
      `for f in ${files}; do [ -r $f ] && exec cat $f; done`,
    ]);
    const microseconds = /^usage_usec (\d+)$/m.exec(text)?.[1];
    return microseconds === undefined ? Number(text) / 1e9 : Number(microseconds) / 1e6;
  }
}

const containerOf = (stack: string, service: string): string => `routeql-${stack}-${service}`;

async function tokenFor(access: ReadonlyMap<string, string>): Promise<string> {
  const credentials = JSON.stringify({ username: access.get("ADMIN_EMAIL"), password: access.get("ADMIN_PASSWORD") });
  const curl = [
    "--silent",
    "--show-error",
    "--fail",
    "--cacert",
    access.get("ROUTEQL_CA_FILE") ?? "",
    "--header",
    "content-type: application/json",
    "--data",
    "@-",
  ];
  const answer = await mustRun("curl", [...curl, `${access.get("ROUTEQL_URL") ?? ""}/jwt/auth`], {
    input: credentials,
  });
  return (JSON.parse(answer) as { readonly access_token: string }).access_token;
}

/**
 * Addresses of a stack's containers, so that Docker's port proxy is not measured. The host has no address on internal networks: they get
 * one until dispose.
 */
export class StackAddresses implements AsyncDisposable {
  readonly #stack: string;
  readonly #networks = new Map<string, AsyncDisposable>();

  constructor(stack: string) {
    this.#stack = stack;
  }

  /** Address of a service, reachable from the host. */
  async of(service: string): Promise<string> {
    const format =
      '{{range $name, $network := .NetworkSettings.Networks}}{{$name}} {{$network.IPAddress}}{{"\\n"}}{{end}}';
    const text = await mustRun("docker", ["inspect", "--format", format, `routeql-${this.#stack}-${service}`]);
    const [network, address] = (text.split("\n")[0] ?? "").split(" ");
    if (network === undefined || address === undefined || address === "")
      throw new Error(`the container of ${service} has no address`);
    const isInternal =
      (await mustRun("docker", ["network", "inspect", "--format", "{{.Internal}}", network])).trim() === "true";
    if (isInternal && !this.#networks.has(network)) this.#networks.set(network, await addHostAddress(network));
    return address;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const network of this.#networks.values()) await network[Symbol.asyncDispose]();
    this.#networks.clear();
  }
}
