import { expect, test } from "vitest";
import { lostNetworkProblems } from "./lost-networks.ts";

const container = (name: string, ...networks: string[]) => ({
  urn: name,
  type: "docker:index/container:Container",
  outputs: { name, ...(networks.length === 0 ? {} : { networksAdvanced: networks.map((each) => ({ name: each })) }) },
});

test("names the networks that a running container has left", async () => {
  const services = [
    { service: "engine", container: "routeql-dev-engine", state: "running" },
    { service: "gateway", container: "routeql-dev-gateway", state: "running" },
    { service: "sessions", container: "routeql-dev-sessions", state: "exited" },
    { service: "feed", container: "routeql-dev-feed", state: "running" },
  ];
  const resources = [
    container("routeql-dev-engine", "engine-database", "gateway-engine", "engine-auth-sidecar"),
    container("routeql-dev-gateway", "gateway-engine"),
    container("routeql-dev-sessions", "auth-sidecar-sessions"),
    container("routeql-dev-engine-files"),
  ];
  const attached = async (name: string) => (name.endsWith("feed") ? undefined : ["gateway-engine"]);
  expect(await lostNetworkProblems("dev", services, { resources }, attached)).toEqual([
    {
      subject: "engine",
      reason: "is not connected to the network engine-database, engine-auth-sidecar",
      next: "npm run up -- --stack dev",
    },
  ]);
  expect(await lostNetworkProblems("dev", services, {}, attached)).toEqual([]);
});
