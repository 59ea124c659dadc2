import { expect } from "vitest";
import { paths } from "@routeql/contract/paths";
import { dockerClient } from "@routeql/host/docker/client";
import { parseAccessText } from "@routeql/cli/access/access";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent, request } from "undici";
import { freePorts } from "../../harness/free-ports.ts";
import { checkOut } from "./checkout.ts";
import type { Checkout, CommandEnd } from "./checkout.ts";
import { newStackName } from "../../harness/run/stack-name.ts";

/** Ids of the stack's containers by service or job, without those that only carry files. */
export type Containers = Readonly<Record<string, string>>;

interface Answer {
  readonly data?: unknown;
  readonly errors?: unknown;
}

/** A stack on this machine, created by the commands of a checkout; deleted with its data at the end of the test. */
export interface DeployedStack extends AsyncDisposable {
  readonly name: string;
  readonly checkout: Checkout;
  /** `npm run up`; a failure fails the test. Returns the result of the last phase, e.g. `2 replaced, 60 unchanged`. */
  up(): Promise<string>;
  /** `npm run up` that is expected to fail; returns its output. */
  failingUp(): Promise<string>;
  containers(): Promise<Containers>;
  /** Answer of /api/graphql to the master key; by default that of access.env. */
  query(text: string, key?: string): Promise<Answer>;
  /** Logs the first administrator in with the session flow and the service key; returns the role of the reply. */
  logIn(serviceKey?: string): Promise<string>;
  /** A value of access.env. */
  access(name: string): Promise<string>;
}

/** Services whose container was replaced, added or removed; sorted. */
export function changedServices(before: Containers, after: Containers): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).toSorted();
}

async function listed(stack: string) {
  return dockerClient().listContainers({ all: true, filters: { label: [`com.routeql.stack=${stack}`] } });
}

/** All objects on the Docker host with the stack's label, by kind and name. */
export async function everythingOf(stack: string): Promise<string[]> {
  const filters = { label: [`com.routeql.stack=${stack}`] };
  const docker = dockerClient();
  const [containers, networks, { Volumes: volumes }] = await Promise.all([
    listed(stack),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  return [
    ...containers.map(({ Names }) => `container ${Names[0]}`),
    ...networks.map(({ Name }) => `network ${Name}`),
    ...volumes.map(({ Name }) => `volume ${Name}`),
  ].toSorted();
}

/** Variables that choose the engine of the stacks. */
const engineVariables = new Set(["ENGINE", "HASURA_IMAGE", "FRONT"]);

export async function deployedStack(
  settings: Readonly<Record<string, string>>,
  commit?: string,
): Promise<DeployedStack> {
  const name = newStackName("life");
  const [http, https, console] = await freePorts(3);
  const ports = { HTTP_PORT: String(http), HTTPS_PORT: String(https), CONSOLE_PORT: String(console) };
  // One client sends requests continuously.
  const limits = { REQUESTS_PER_SECOND_PER_ADDRESS: "500", REQUEST_BURST: "1000" };
  const engine = Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value = ""]) => (engineVariables.has(key) ? [[key, value]] : [])),
  );
  const checkout = await checkOut({ ...ports, ...limits, ...engine, ...settings }, commit);
  const access = async (key: string): Promise<string> => {
    const values = parseAccessText(await readFile(join(checkout.folder, ".routeql", name, "access.env"), "utf8"));
    const value = values.get(key);
    if (value === undefined) throw new Error(`access.env has no ${key}`);
    return value;
  };
  const ask = async (path: string, headers: Readonly<Record<string, string>>, asked: unknown): Promise<unknown> => {
    const dispatcher = new Agent({ connect: { ca: await readFile(await access("ROUTEQL_CA_FILE"), "utf8") } });
    try {
      const {
        statusCode,
        headers: reply,
        body,
      } = await request(`${await access("ROUTEQL_URL")}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(asked),
        dispatcher,
      });
      const answer = await body.text();
      if (statusCode !== 200)
        throw new Error(`request ${String(reply["x-request-id"])}, status ${statusCode}: ${answer}`);
      return JSON.parse(answer);
    } finally {
      await dispatcher.close();
    }
  };
  const said = ({ code, output }: CommandEnd): string => {
    expect(code, output).toBe(0);
    return new RegExp(`✔ Stack ${name}: (.*?) \\[`).exec(output)?.[1] ?? output;
  };
  return {
    name,
    checkout,
    access,
    up: async () => said(await checkout.command("up", name)),
    async failingUp() {
      const { code, output } = await checkout.command("up", name);
      expect(code, output).toBe(1);
      return output;
    },
    async containers() {
      const services = (await listed(name)).filter(({ Labels }) => Labels["com.routeql.run"] !== "files");
      return Object.fromEntries(services.map(({ Id, Labels }) => [Labels["com.routeql.service"], Id]));
    },
    async query(text, key) {
      return (await ask(
        "/api/graphql",
        { "x-engine-access-key": key ?? (await access("ENGINE_ACCESS_KEY")) },
        { query: text },
      )) as Answer;
    },
    async logIn(serviceKey) {
      const [email, password] = [await access("ADMIN_EMAIL"), await access("ADMIN_PASSWORD")];
      const headers = { "x-service-api-key": serviceKey ?? (await access("SERVICE_API_KEY")) };
      const { user } = (await ask(paths.loginCredentials, headers, { email, password })) as { user: { role: string } };
      return user.role;
    },
    async [Symbol.asyncDispose]() {
      const { code, output } = await checkout.command("down", name, ["--volumes"]);
      await checkout[Symbol.asyncDispose]();
      if (code !== 0) throw new Error(output);
    },
  };
}
