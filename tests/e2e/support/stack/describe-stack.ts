import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { placeOf } from "@routeql/cli/kubernetes/place";
import { parseEnvironmentFile } from "@routeql/infra/settings/reading/environment-file";
import { mustRun } from "../../../harness/process.ts";
import { podEnvironmentOf, servicePort } from "./describe-cluster.ts";
import type { StackAccess } from "./stack.ts";

/**
 * Reads access.env, and missing values from Docker.
 * @throws {Error} if a value is absent
 */
export async function describeStack(accessFile: string): Promise<StackAccess> {
  const { entries } = parseEnvironmentFile(await readFile(accessFile, "utf8"));
  const values = new Map(entries.map(({ name, value }) => [name, value]));
  const value = (name: string): string => {
    const found = values.get(name);
    if (found === undefined)
      throw new Error(
        `${accessFile} has no ${name}${name === "ROUTEQL_CONSOLE_URL" ? ": the suite needs a stack with ENGINE_CONSOLE=true" : ""}`,
      );
    return found;
  };
  const name = basename(dirname(accessFile));
  const place = await placeOf(name);
  const url = new URL(value("ROUTEQL_URL"));
  return {
    name,
    url: url.origin,
    consoleUrl: new URL(value("ROUTEQL_CONSOLE_URL")).origin,
    httpUrl: `http://${url.hostname}:${place ? await servicePort(place, 8080) : await publishedPort(`routeql-${name}-gateway`, 8080)}`,
    caCertificate: await readFile(value("ROUTEQL_CA_FILE"), "utf8"),
    caFile: value("ROUTEQL_CA_FILE"),
    serviceApiKey: value("SERVICE_API_KEY"),
    engineAccessKey: value("ENGINE_ACCESS_KEY"),
    adminEmail: value("ADMIN_EMAIL"),
    adminPassword: value("ADMIN_PASSWORD"),
    tokenLifeSeconds: Number(
      place
        ? await podEnvironmentOf(place, "auth-sidecar", "TOKEN_LIFE_SECONDS")
        : await environmentOf(`routeql-${name}-auth-sidecar`, "TOKEN_LIFE_SECONDS"),
    ),
  };
}

async function publishedPort(container: string, port: number): Promise<number> {
  const text = await mustRun("docker", ["port", container, `${port}/tcp`]);
  return Number(text.trim().split("\n")[0]?.split(":").at(-1));
}

async function environmentOf(container: string, name: string): Promise<string> {
  const lines = JSON.parse(
    await mustRun("docker", ["inspect", "--format", "{{json .Config.Env}}", container]),
  ) as string[];
  const line = lines.find((entry) => entry.startsWith(`${name}=`));
  if (line === undefined) throw new Error(`${container} has no ${name}`);
  return line.slice(name.length + 1);
}
