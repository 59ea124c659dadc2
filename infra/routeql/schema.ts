import type { RouteQL } from "../components/routeql.ts";
import { componentType } from "../components/state-identity.ts";
import { release } from "../release.ts";
import { argumentOf, type Group, groups } from "../settings/groups.ts";
import { type SettingName, settingNames, settings } from "../settings/list.ts";
import type { Setting, SettingType } from "../settings/values/setting.ts";

interface Property {
  readonly type?: "string" | "integer" | "boolean" | "object" | "array";
  readonly oneOf?: readonly [{ readonly type: "string" }, { readonly $ref: "pulumi.json#/Archive" }];
  readonly description: string;
  readonly secret?: true;
  /** Known before the deployment: an SDK accepts no output of another resource. */
  readonly plain?: true;
  readonly additionalProperties?: { readonly type: "string" } | { readonly $ref: "pulumi.json#/Any" };
  readonly items?: { readonly $ref: "pulumi.json#/Any" };
}

const typeOf = {
  text: "string",
  number: "integer",
  flag: "boolean",
  secret: "string",
  file: "string",
} as const satisfies Record<SettingType, Property["type"]>;

/** Settings for a folder, which may be an archive in programs of other languages. */
export const folderSettings = ["metadata", "migrations"] as const satisfies readonly SettingName[];
const isFolder = (name: SettingName): boolean => folderSettings.some((each) => each === name);

/** An argument of the component. The component itself applies the default, because some depend on the stack's name. */
function inputOf(name: SettingName): Property {
  const { type, meaning, allowed, default: byDefault, structural, confidential }: Setting = settings[name];
  const notes = [
    ...(allowed === undefined ? [] : [`Allowed: ${allowed}.`]),
    ...(byDefault === undefined ? [] : [`Default: ${byDefault}.`]),
  ];
  const description = [meaning, ...notes].join(" ");
  return {
    ...(isFolder(name) ? { oneOf: [{ type: "string" }, { $ref: "pulumi.json#/Archive" }] } : { type: typeOf[type] }),
    description,
    ...(type === "secret" || confidential === true ? { secret: true } : {}),
    ...(structural === true ? { plain: true } : {}),
  };
}

const meanings: Readonly<Record<Group, string>> = {
  gateway: "Public addresses, ports and limits.",
  engine: "The GraphQL engine and its limits.",
  authSidecar: "Login, sessions and tokens.",
  database: "The database, its archive and its backups.",
  sessions: "The session store.",
  directory: "The LDAP login.",
  tls: "The gateway's certificate.",
  feed: "Live updates of BGP.",
  monitoring: "Metrics, alerts and traces.",
};

const typeOfGroup = (group: Group): string => `routeql:index:${group[0]!.toUpperCase()}${group.slice(1)}`;

function inputsOf(group: Group | undefined): Record<string, Property> {
  const inGroup = settingNames
    .map((name) => [name, ...argumentOf(name)] as const)
    .filter(([, , each]) => each === group);
  return Object.fromEntries(inGroup.map(([name, argument]) => [argument, inputOf(name)]));
}

const outputs = {
  url: { type: "string", description: "Base address of the API, without a slash at its end." },
  consoleUrl: { type: "string", description: "Address of the console; absent if it is not enabled." },
  caCertificate: { type: "string", description: "Certificate that clients must trust, PEM." },
  serviceApiKey: { type: "string", secret: true, description: "Value of `x-service-api-key`." },
  engineAccessKey: { type: "string", secret: true, description: "The master key, value of `X-Engine-Access-Key`." },
  adminEmail: { type: "string", description: "E-mail address of the first administrator." },
  adminPassword: { type: "string", secret: true, description: "First password of the first administrator." },
  databasePasswords: {
    type: "object",
    additionalProperties: { type: "string" },
    secret: true,
    description:
      "Passwords of the database's login roles: owner, engine, sidecar, loader, backup, metadata, monitor, feed.",
  },
  database: {
    type: "object",
    additionalProperties: { $ref: "pulumi.json#/Any" },
    description: "Connection data with which tools reach the database, without a login.",
  },
  services: {
    type: "array",
    items: { $ref: "pulumi.json#/Any" },
    description: "Each service with its container or workload and its image.",
  },
} as const satisfies Record<string, Property>;

export const outputNames = Object.keys(outputs) as readonly (keyof typeof outputs)[];

export const outputsOf = (component: RouteQL): Pick<RouteQL, (typeof outputNames)[number]> =>
  Object.fromEntries(outputNames.map((name) => [name, component[name]])) as Pick<RouteQL, (typeof outputNames)[number]>;

/** Schema of the package for SDKs, from the settings: Pulumi's generator needs TypeScript's compiler API, which TypeScript 7 lacks. */
export const packageSchema = (): Readonly<Record<string, unknown>> => ({
  name: "routeql",
  displayName: "RouteQL",
  version: release.version,
  description: "Routing updates and hijacks in Postgres, online as a role-guarded GraphQL API.",
  license: "Apache-2.0",
  meta: { moduleFormat: "(.*)" },
  language: {
    nodejs: { respectSchemaVersion: true },
    python: { respectSchemaVersion: true, pyproject: { enabled: true } },
    go: { respectSchemaVersion: true, generateResourceContainerTypes: false },
    csharp: { respectSchemaVersion: true },
  },
  types: Object.fromEntries(
    groups.map((group) => [
      typeOfGroup(group),
      { type: "object", description: meanings[group], properties: inputsOf(group) },
    ]),
  ),
  resources: {
    [componentType]: {
      isComponent: true,
      description:
        "The gateway, the engine, the auth sidecar, the session store and the database, on one Docker host or on Kubernetes.",
      inputProperties: {
        ...inputsOf(undefined),
        ...Object.fromEntries(
          groups.map((group) => [
            group,
            { $ref: `#/types/${typeOfGroup(group)}`, plain: true, description: meanings[group] },
          ]),
        ),
        protectData: {
          type: "boolean",
          plain: true,
          description:
            "Whether Pulumi refuses to delete the data and the secrets that the data requires. Default: true.",
        } satisfies Property,
      },
      properties: outputs,
      required: outputNames.filter((name) => name !== "consoleUrl"),
    },
  },
});
