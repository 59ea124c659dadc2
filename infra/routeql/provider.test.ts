import { join, resolve } from "node:path";
import { asset, isSecret, output, type Output } from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { componentType } from "../components/state-identity.ts";
import { writtenArgument } from "../settings/groups.ts";
import { settingNames, settings } from "../settings/list.ts";
import type { Setting } from "../settings/values/setting.ts";
import { recordStack } from "../testing/recorded-stack.ts";
import { provider } from "./provider.ts";

type Properties = Readonly<Record<string, { type?: string; $ref?: string; secret?: true; plain?: true }>>;
interface Schema {
  readonly name: string;
  readonly types: Readonly<Record<string, { readonly properties: Properties }>>;
  readonly resources: Readonly<Record<string, { readonly inputProperties: Properties }>>;
}

test("the schema has an input for each setting; only structural ones are plain", async () => {
  const schema = JSON.parse(await provider.getSchema!()) as Schema;
  expect(schema.name).toBe("routeql");
  const { inputProperties } = schema.resources[componentType]!;
  const { protectData, ...inputs } = inputProperties;
  expect(protectData?.type).toBe("boolean");
  const flat = Object.entries(inputs).flatMap(([name, property]) =>
    property.$ref === undefined
      ? [[name, property] as const]
      : Object.entries(schema.types[property.$ref.replace("#/types/", "")]!.properties).map(
          ([argument, inner]) => [`${name}.${argument}`, inner] as const,
        ),
  );
  const found = new Map(flat);
  expect(flat).toHaveLength(settingNames.length);
  for (const name of settingNames) {
    const property = found.get(writtenArgument(name));
    expect(property?.secret === true, name).toBe(settings[name].type === "secret" || name === "tlsPrivateKeyFile");
    expect(property?.plain, name).toBe((settings[name] as Setting).structural);
  }
  expect(found.get("gateway.httpsPort")).toEqual({
    type: "integer",
    description: "Published port of the API. Allowed: 1 to 65535. Default: 443.",
  });
});

/** Constructs the component and returns its state and the names of its resources. */
async function constructed(inputs: Readonly<Record<string, unknown>>) {
  let state: Readonly<Record<string, unknown>> = {};
  const resources = await recordStack(async () => {
    ({ state } = await provider.construct!("shop", componentType, inputs, {}));
  });
  return { state, names: resources.map(({ name }) => name) };
}

test("constructs the component with its outputs and keeps secrets secret", async () => {
  const { state, names } = await constructed({
    gateway: { publicHost: output("routes.example.net") },
    engine: { console: true },
  });
  expect(names).toEqual(expect.arrayContaining(["shop", "shop-gateway", "shop-database-data"]));
  const url = await new Promise((resolve) => void (state["url"] as Output<string>).apply(resolve));
  expect(url).toBe("https://routes.example.net");
  expect(await isSecret(state["adminPassword"] as Output<string>)).toBe(true);
  expect(await isSecret(state["url"] as Output<string>)).toBe(false);
});

test("rejects invalid arguments with all problems", async () => {
  await expect(constructed({ gateway: { httpPort: 0 }, logLevel: "loud" })).rejects.toThrow(
    /2 settings are wrong:\n {2}gateway\.httpPort/,
  );
});

test("takes metadata and migrations as archives of files and texts", async () => {
  const desk = resolve(import.meta.dirname, "../../docs/start/desk");
  const migrations = new asset.AssetArchive({ "0001_more.sql": new asset.StringAsset("create table desk.more ()") });
  const given = { metadata: new asset.FileArchive(join(desk, "metadata")), migrations };
  expect((await constructed(given)).names).toContain("shop-migrate");
  const wrong = { metadata: new asset.AssetArchive({ "databases/x": new asset.FileAsset(join(desk, "absent")) }) };
  await expect(constructed(wrong)).rejects.toThrow("absent");
  const unnumbered = { migrations: new asset.AssetArchive({ "more.sql": new asset.StringAsset("select 1") }) };
  await expect(constructed(unnumbered)).rejects.toThrow("has the file more.sql");
});

test("rejects a type that the package does not have", async () => {
  await expect(provider.construct!("shop", "routeql:index:Other", {}, {})).rejects.toThrow(
    "has no resource routeql:index:Other",
  );
});
