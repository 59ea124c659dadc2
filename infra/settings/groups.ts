/** Groups of the component's arguments, from the settings' names: `httpsPort` is `gateway.httpsPort`, `database` is `database.kind`. */
import { isPending } from "../inputs.ts";
import { type GivenInputs, type SettingName, settingNames, settings } from "./list.ts";
import type { Setting } from "./values/setting.ts";

/** First words of the names of a group's settings. Settings with another first word belong to none. */
const words = {
  gateway: [
    "gateway",
    "public",
    "host",
    "http",
    "https",
    "console",
    "cors",
    "request",
    "requests",
    "connections",
    "idle",
  ],
  engine: ["engine", "front", "hasura", "query", "statement"],
  authSidecar: ["sidecar", "service", "admin", "token", "key", "session", "login", "password"],
  database: ["database", "archive", "backup"],
  sessions: ["sessions"],
  directory: ["ldap"],
  tls: ["tls", "certificate"],
  feed: ["feed"],
  monitoring: ["monitoring", "prometheus", "grafana", "alert", "metrics", "trace"],
} as const;
export type Group = keyof typeof words;
export const groups = Object.keys(words) as readonly Group[];

/** A group's arguments do not repeat its own word, the first one of the list. */
type OwnWord = (typeof words)[Group][0];

type FirstWord<Name extends string, Word extends string = ""> = Name extends `${infer Letter}${infer Rest}`
  ? Letter extends Lowercase<Letter>
    ? FirstWord<Rest, `${Word}${Letter}`>
    : Word
  : Word;
type GroupOf<Name extends SettingName> = (typeof settings)[Name] extends { group: infer Given extends Group }
  ? Given
  : { [Each in Group]: FirstWord<Name> extends (typeof words)[Each][number] ? Each : never }[Group];
type ArgumentOf<Name extends SettingName> = Name extends OwnWord
  ? "kind"
  : Name extends `${FirstWord<Name> & OwnWord}${infer Rest}`
    ? Uncapitalize<Rest>
    : Name;

/** Arguments of the component by group, described in docs/reference/settings.md. Most may be outputs of other resources. */
export type RouteQLArgs = {
  readonly [Name in SettingName as [GroupOf<Name>] extends [never] ? Name : never]?: GivenInputs[Name];
} & {
  readonly [Each in Group]?: {
    readonly [Name in SettingName as [Each] extends [GroupOf<Name>] ? ArgumentOf<Name> : never]?: GivenInputs[Name];
  };
};

export function argumentOf(name: SettingName): readonly [argument: string, group?: Group] {
  const [word = ""] = /^[a-z]+/.exec(name) ?? [];
  const group = (settings[name] as Setting).group ?? groups.find((each) => words[each].some((known) => known === word));
  if (group === undefined) return [name];
  const rest = name.slice(word.length);
  if (word !== words[group as Group][0]) return [name, group as Group];
  return [rest === "" ? "kind" : rest[0]!.toLowerCase() + rest.slice(1), group as Group];
}

/** An argument as a user writes it: `gateway.httpsPort`. */
export const writtenArgument = (name: SettingName): string => argumentOf(name).toReversed().join(".");

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
