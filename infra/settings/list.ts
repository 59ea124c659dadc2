/** Every setting, once: the source of reading and checks, arguments, Pulumi.yaml, .env.example and docs/reference/settings.md. */
import type { Input } from "@pulumi/pulumi";
import { pins } from "@routeql/pins/pins";
import { image, oneOf, range } from "./values/checks.ts";
import { accessKeys, firstOperator } from "./declared/access.ts";
import { engineApis, ownDefinitions, queryLimits } from "./declared/engine.ts";
import { addressSettings, certificateSettings, requestLimits } from "./declared/gateway.ts";
import { archiveSettings, cloudNativePgSettings, partSettings } from "./declared/data-stores.ts";
import { directorySettings, sidecarNumbers, tokenSettings } from "./declared/sidecar.ts";
import { feedSettings } from "./declared/feed.ts";
import { engineSettings, imageSettings } from "./declared/images.ts";
import { kubernetesSettings } from "./declared/kubernetes.ts";
import { monitoringSettings } from "./declared/monitoring.ts";
import { rotationSettings } from "./declared/rotation.ts";
import { networkSettings } from "./declared/network.ts";
import { number, text } from "./values/setting.ts";
import type { Setting, ValueOf } from "./values/setting.ts";

export const settings = {
  ...accessKeys,
  ...engineSettings,
  ...ownDefinitions,
  ...engineApis,
  ...firstOperator,
  ...addressSettings,
  ...networkSettings,
  ...certificateSettings,
  ...sidecarNumbers,
  ...tokenSettings,
  ...rotationSettings,
  ...directorySettings,
  ...queryLimits,
  ...requestLimits,
  logLevel: text({
    argument: "logLevel",
    environment: "LOG_LEVEL",
    default: "info",
    meaning: "Minimum log level: debug, info, warn or error.",
    ...oneOf("debug", "info", "warn", "error"),
  }),
  ...partSettings,
  ...kubernetesSettings,
  ...archiveSettings,
  ...cloudNativePgSettings,
  ...feedSettings,
  ...monitoringSettings,
  ...imageSettings,
  processorLimit: number({
    argument: "processorLimit",
    environment: "PROCESSOR_LIMIT",
    default: 4,
    meaning: "Docker: maximum processors of one container.",
    ...range(1, 256),
  }),
  debianBase: text({
    argument: "debianBase",
    environment: "DEBIAN_BASE",
    default: pins.debian.image,
    meaning: "Base image of the built images.",
    ...image,
  }),
  nodeBase: text({
    argument: "nodeBase",
    environment: "NODE_BASE",
    default: pins.node.image,
    meaning: "Image with Node 24 and npm for builds.",
    ...image,
  }),
} as const satisfies Record<
  string,
  Setting<"text"> | Setting<"number"> | Setting<"flag"> | Setting<"secret"> | Setting<"file">
>;

export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as readonly SettingName[];

type TypeOf<Name extends SettingName> = (typeof settings)[Name]["type"];
type NameOf<Type> = { [Name in SettingName]: TypeOf<Name> extends Type ? Name : never }[SettingName];

export type SecretSettingName = NameOf<"secret">;
type Defaulted<Name extends SettingName> = (typeof settings)[Name] extends { default: unknown } ? Name : never;
/** Names of the settings that always have a value and are not secret. */
export type PlainSettingName = { [Name in SettingName]: Defaulted<Name> }[SettingName];
export type OptionalSettingName = Exclude<SettingName, SecretSettingName | PlainSettingName>;

/** The given values, read and validated, without defaults. */
export type GivenSettings = { readonly [Name in keyof typeof settings]?: ValueOf<TypeOf<Name>> };

/** The same, where values that decide no resource's existence may be outputs of other resources. */
type Inputs<Values> = {
  readonly [Name in keyof Values]: Name extends SettingName
    ? (typeof settings)[Name] extends { structural: true }
      ? Values[Name]
      : Input<NonNullable<Values[Name]>> | Extract<Values[Name], undefined>
    : never;
};
export type GivenInputs = Inputs<GivenSettings>;

/** The settings that are not secret, with their defaults filled in. */
export type PlainSettings = { readonly [Name in PlainSettingName]: ValueOf<TypeOf<Name>> } & {
  readonly [Name in OptionalSettingName]?: string;
};
export type Settings = Inputs<PlainSettings>;
