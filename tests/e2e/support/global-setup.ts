/**
 * One stack for the whole end-to-end suite: its own, on free ports and gone afterwards, or the running one whose access.env is named in
 * ROUTEQL_ACCESS_FILE.
 * @module
 */
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { TestProject } from "vitest/node";
import { mustRun } from "../../harness/process.ts";
import { parseEnvironmentFile } from "../../../infra/settings/environment-file.ts";
import { bringUpOwn, takeDownOwn } from "./own-stack.ts";
import type { StackAccess } from "./stack.ts";

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["ROUTEQL_ACCESS_FILE"];
  if (given !== undefined) {
    project.provide("stack", await describe(given));
    return () => Promise.resolve();
  }
  try {
    project.provide("stack", await describe(await bringUpOwn()));
  } catch (error) {
    await takeDownOwn();
    throw error;
  }
  return takeDownOwn;
}

/** Reads access.env, and from Docker what it does not say. */
async function describe(accessFile: string): Promise<StackAccess> {
  const { entries } = parseEnvironmentFile(await readFile(accessFile, "utf8"));
  const values = new Map(entries.map(({ name, value }) => [name, value]));
  const value = (name: string): string => {
    const found = values.get(name);
    if (found === undefined) throw new Error(`${accessFile} says nothing of ${name}${name === "ROUTEQL_CONSOLE_URL" ? ": the suite needs a stack with ENGINE_CONSOLE=true" : ""}`);
    return found;
  };
  const name = basename(dirname(accessFile));
  const url = new URL(value("ROUTEQL_URL"));
  return {
    name,
    url: url.origin,
    consoleUrl: new URL(value("ROUTEQL_CONSOLE_URL")).origin,
    httpUrl: `http://${url.hostname}:${await publishedPort(`routeql-${name}-gateway`, 8080)}`,
    caCertificate: await readFile(value("ROUTEQL_CA_FILE"), "utf8"),
    caFile: value("ROUTEQL_CA_FILE"),
    serviceApiKey: value("SERVICE_API_KEY"),
    engineAccessKey: value("ENGINE_ACCESS_KEY"),
    adminEmail: value("ADMIN_EMAIL"),
    adminPassword: value("ADMIN_PASSWORD"),
    tokenLifeSeconds: Number(await environmentOf(`routeql-${name}-auth-sidecar`, "TOKEN_LIFE_SECONDS")),
  };
}

async function publishedPort(container: string, port: number): Promise<number> {
  const text = await mustRun("docker", ["port", container, `${port}/tcp`]);
  return Number(text.trim().split("\n")[0]?.split(":").at(-1));
}

async function environmentOf(container: string, name: string): Promise<string> {
  const lines = JSON.parse(await mustRun("docker", ["inspect", "--format", "{{json .Config.Env}}", container])) as string[];
  const line = lines.find((entry) => entry.startsWith(`${name}=`));
  if (line === undefined) throw new Error(`${container} has no ${name}`);
  return line.slice(name.length + 1);
}
