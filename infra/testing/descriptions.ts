import { output } from "@pulumi/pulumi";
import type { BuiltImage } from "../images.ts";
import type { ImageName, ServiceDescription } from "../description/service.ts";
import { secretNames } from "../description/secrets.ts";
import type { Secrets } from "../description/secrets.ts";
import type { Surroundings } from "../description/surroundings.ts";
import { describeServices } from "../services/all.ts";
import { withDefaults } from "../settings/reading/complete.ts";
import type { GivenSettings } from "../settings/list.ts";

/** The services of a stack with these settings; they reach each other by their names. */
export function describeStack(
  given: GivenSettings = {},
  stack = "staging",
  more: Partial<Surroundings> = {},
): readonly ServiceDescription[] {
  return describeServices(withDefaults(given, stack), {
    hostOf: (name) => name,
    certificate: "CERTIFICATE",
    stack,
    ...more,
  });
}

export function serviceNamed(services: readonly ServiceDescription[], name: string): ServiceDescription {
  const found = services.find((service) => service.name === name);
  if (found === undefined) throw new Error(`${name} is not described.`);
  return found;
}

/** A small service for tests of targets; `changes` overrides what a test needs. */
export function describeTestService(changes: Partial<ServiceDescription> = {}): ServiceDescription {
  return {
    name: "engine",
    run: "service",
    image: "engine",
    user: 10_102,
    environment: {},
    secrets: {},
    files: {},
    temporary: {},
    ports: [],
    listens: [],
    health: { kind: "http", port: 8080, path: "/healthz" },
    resources: { memoryMegabytes: 128, cpuMillicores: 100, processes: 32 },
    calls: [],
    after: [],
    graceSeconds: 10,
    ...changes,
  };
}

export function testImage(name: ImageName, tag = "0123456789ab"): BuiltImage {
  return {
    name,
    imageName: `routeql/${name}:${tag}`,
    dockerfile: `/context/images/${name}/Dockerfile`,
    context: "/context",
    args: {},
  };
}

/** Every secret with a distinct value. Only the code under test wraps them. */
export function testSecrets(changes: Partial<Record<keyof Secrets, string>> = {}): Secrets {
  return Object.fromEntries(secretNames.map((name) => [name, output(changes[name] ?? `value-of-${name}`)])) as Secrets;
}
