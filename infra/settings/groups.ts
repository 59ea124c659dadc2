/** The component's arguments by group: each setting spells its own in `argument`, such as `gateway.httpsPort`. */
import { isPending } from "../inputs.ts";
import { type GivenInputs, type SettingName, settingNames, settings } from "./list.ts";

export const groups = [
  "gateway",
  "engine",
  "authSidecar",
  "database",
  "sessions",
  "directory",
  "tls",
  "feed",
  "monitoring",
] as const;
export type Group = (typeof groups)[number];

type WrittenArgument<Name extends SettingName> = (typeof settings)[Name]["argument"];

/** Arguments of the component by group, described in docs/reference/settings.md. Most may be outputs of other resources. */
export type RouteQLArgs = {
  readonly [
    Name in SettingName as WrittenArgument<Name> extends `${string}.${string}` ? never : WrittenArgument<Name>
  ]?: GivenInputs[Name];
} & {
  readonly [Each in Group]?: {
    readonly [
      Name in SettingName as WrittenArgument<Name> extends `${Each}.${infer Argument}` ? Argument : never
    ]?: GivenInputs[Name];
  };
};

/** An argument as a user writes it: `gateway.httpsPort`. */
export const writtenArgument = (name: SettingName): string => settings[name].argument;

export function argumentOf(name: SettingName): readonly [argument: string, group?: Group] {
  const written = writtenArgument(name);
  const group = groups.find((each) => written.startsWith(`${each}.`));
  return group === undefined ? [written] : [written.slice(group.length + 1), group];
}

const namesByArgument = new Map<string, SettingName>(settingNames.map((name) => [writtenArgument(name), name]));
export const argumentNames: readonly string[] = [...namesByArgument.keys()];

export function grouped(given: GivenInputs): RouteQLArgs {
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const [argument, group] = argumentOf(name as SettingName);
    if (group === undefined) args[argument] = value;
    else args[group] = { ...(args[group] as object | undefined), [argument]: value };
  }
  return args;
}

/** Arguments as settings, and the arguments that no setting has, as a user wrote them. */
export function ungrouped(args: Readonly<Record<string, unknown>>) {
  const isGroup = (written: string): boolean => groups.some((group) => group === written);
  const flat = Object.entries(args).flatMap(([written, value]) =>
    isGroup(written) && typeof value === "object" && value !== null && !isPending(value)
      ? Object.entries(value).map(([argument, inner]) => [`${written}.${argument}`, inner as unknown] as const)
      : [[written, value] as const],
  );
  const known = flat.flatMap(([written, value]) => {
    const name = namesByArgument.get(written);
    return name === undefined ? [] : [[name, value]];
  });
  const unknown = flat.filter(([written, value]) => value !== undefined && !namesByArgument.has(written));
  return { given: Object.fromEntries(known) as GivenInputs, unknown: unknown.map(([written]) => written) };
}
