import { CustomResource } from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { type RecordedResource, recordStack, type RunOptions, unwrap } from "../testing/recorded-stack.ts";
import { grouped } from "../settings/groups.ts";
import type { GivenInputs } from "../settings/list.ts";
import { RouteQL } from "./routeql.ts";

const known = {
  publicHost: "routes.example.net",
  httpsPort: 8443,
  databaseUrl: "postgres://root:a-long-password@db.example.net:6432/records",
  hasuraImage: "registry.example.net/hasura:v2.48.20",
  hostAddress: "192.0.2.10",
  ldapUrl: "ldaps://directory.example.net:1636",
  enginePoolSize: 4,
  namespace: "routes",
  traceEndpoint: "http://collector.example.net:4318",
} as const satisfies GivenInputs;

/** Another resource of the program, whose outputs are the arguments. */
class Elsewhere extends CustomResource {
  constructor() {
    super("test:index:Elsewhere", "elsewhere", Object.fromEntries(Object.keys(known).map((name) => [name, undefined])));
  }
}

const fixed = { engine: "hasura", database: "external", ldapUserBase: "dc=example,dc=net" } as const;

/** Generated passwords that are the same in each run, so that two runs can be compared. */
let passwords: Record<string, { result: string }> = {};

async function deploy(args: () => GivenInputs, options: RunOptions = {}) {
  let component: RouteQL | undefined;
  const resources = await recordStack(
    () => void (component = new RouteQL("routeql", grouped({ ...fixed, ...args() }))),
    { ...options, outputs: { ...passwords, elsewhere: known, ...options.outputs } },
  );
  return { component: component!, resources };
}

beforeAll(async () => {
  const { resources } = await deploy(() => ({ ...known, target: "kubernetes" }));
  const names = resources.filter(({ type }) => type.startsWith("random:")).map(({ name }) => name);
  passwords = Object.fromEntries(names.map((name) => [name, { result: `${name}-3c9f1e7a5b2d8064` }]));
});

const fromElsewhere = (): GivenInputs => {
  const made = new Elsewhere() as unknown as Record<keyof typeof known, never>;
  return Object.fromEntries(Object.keys(known).map((name) => [name, made[name as keyof typeof known]]));
};

/** A built image has no hash in its resource's name if its base is an output. */
const nameOf = ({ type, name }: RecordedResource): string =>
  `${type} ${type === "docker:index/image:Image" ? name.replace(/-[0-9a-f]{12}$/, "") : name}`;
const inputsByName = (resources: readonly RecordedResource[]): Record<string, unknown> =>
  Object.fromEntries(
    resources
      .filter(({ type }) => !type.startsWith("test:"))
      .map((resource) => [nameOf(resource), unwrap(resource.inputs)] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );

describe.each(["docker", "kubernetes"])("on %s", (target) => {
  test("arguments that are outputs of another resource give the same services", async () => {
    const [plain, late] = [
      await deploy(() => ({ ...known, target })),
      await deploy(() => ({ ...fromElsewhere(), target })),
    ];
    expect(inputsByName(late.resources)).toEqual(inputsByName(plain.resources));
    expect(Object.keys(inputsByName(late.resources)).length).toBeGreaterThan(40);
  });

  test("a preview shows every resource while the outputs are unknown", async () => {
    const unknown = Object.fromEntries(Object.keys(known).map((name) => [name, undefined]));
    const plain = await deploy(() => ({ ...known, target }), { preview: true });
    const late = await deploy(() => ({ ...fromElsewhere(), target }), {
      preview: true,
      outputs: { elsewhere: unknown },
    });
    expect(Object.keys(inputsByName(late.resources))).toEqual(Object.keys(inputsByName(plain.resources)));
    // Resources that use none of the outputs are as before.
    const name = "random:index/randomPassword:RandomPassword routeql-service-api-key";
    expect(inputsByName(late.resources)[name]).toEqual(inputsByName(plain.resources)[name]);
  });
});
