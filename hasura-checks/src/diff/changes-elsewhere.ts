/** Differences of permissions outside of tables: actions, remote schemas, REST endpoints, allow lists, triggers, limits. */
import { isDeepStrictEqual } from "node:util";
import { type DirectiveNode, type DocumentNode, parse, print } from "graphql";
import type { MergedPath } from "@routeql/metadata/read/load";
import { type Fields, isFields } from "../metadata/conditions.ts";
import { listed, tablesOf, type Walked } from "../metadata/walk.ts";
import { type AccessChange, type Direction, eachChange } from "./change.ts";

const fieldsIn = (list: unknown): readonly Fields[] => (Array.isArray(list) ? list.filter(isFields) : []);
const rolesIn = (permissions: unknown): readonly string[] => fieldsIn(permissions).map(({ role }) => String(role));

/** A named object of both revisions; undefined where a revision lacks it. */
interface Both {
  readonly name: string;
  readonly old: Fields | undefined;
  readonly now: Fields | undefined;
  readonly at: MergedPath;
}

/** @param file the key in the merged metadata; the file of actions has a list below the same key */
function inBoth(before: Walked, after: Walked, file: string, nameKey = "name"): readonly Both[] {
  const listOf = ({ project }: Walked) => {
    const value = project.loaded.merged[file];
    const inner = isFields(value) ? value[file] : value;
    return { list: fieldsIn(inner), path: isFields(value) ? [file, file] : [file] };
  };
  return paired(listOf(before).list, listOf(after).list, listOf(after).path, nameKey);
}

function paired(
  earlier: readonly Fields[],
  later: readonly Fields[],
  path: MergedPath,
  nameKey = "name",
): readonly Both[] {
  const nameOf = (item: Fields) => String(item[nameKey]);
  const old = new Map(earlier.map((item) => [nameOf(item), item]));
  const known = new Set(later.map(nameOf));
  return [
    ...later.map((now, index) => ({ name: nameOf(now), old: old.get(nameOf(now)), now, at: [...path, index] })),
    ...earlier
      .filter((item) => !known.has(nameOf(item)))
      .map((item) => ({ name: nameOf(item), old: item, now: undefined, at: path })),
  ];
}

export function changesElsewhere(before: Walked, after: Walked): readonly AccessChange[] {
  return [
    actions,
    remoteSchemas,
    restEndpoints,
    allowedQueries,
    eventTriggers,
    cronTriggers,
    tlsHosts,
    apiLimits,
  ].flatMap((compare) => compare(before, after));
}

function actions(before: Walked, after: Walked): readonly AccessChange[] {
  return inBoth(before, after, "actions").flatMap(({ name, old, now, at }) =>
    eachChange(rolesIn(old?.["permissions"]), rolesIn(now?.["permissions"]), (role, direction): AccessChange => {
      const reason = `${role} can ${direction === "wider" ? "now" : "no longer"} call the action ${name}`;
      return { at, role, name, direction, reason };
    }),
  );
}

function remoteSchemas(before: Walked, after: Walked): readonly AccessChange[] {
  return inBoth(before, after, "remote_schemas").flatMap(({ name, old, now, at }): readonly AccessChange[] => {
    const what = `the remote schema ${name}`;
    if (old === undefined && rolesIn(now?.["permissions"]).length === 0)
      return [
        {
          at,
          name,
          direction: "wider",
          reason: `${what} is served now, and has no permissions: every role can query it unless HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS=true`,
        },
      ];
    const roles = paired(
      fieldsIn(old?.["permissions"]),
      fieldsIn(now?.["permissions"]),
      [...at, "permissions"],
      "role",
    );
    return roles.flatMap(({ name: role, old: before, now: after, at: place }): readonly AccessChange[] => {
      const change = { at: place, role, name };
      if (before === undefined) return [{ ...change, direction: "wider", reason: `${role} can now query ${what}` }];
      if (after === undefined)
        return [{ ...change, direction: "narrower", reason: `${role} can no longer query ${what}` }];
      return documentChanges(documentOf(before), documentOf(after)).map(([direction, said]) => ({
        ...change,
        direction,
        reason: `${role} on ${what}: ${said}`,
      }));
    });
  });
}

const documentOf = (permission: Fields): string => {
  const { definition } = permission;
  return isFields(definition) ? String(definition["schema"]) : "";
};

/** A definition in a schema document, or a part of it. */
interface Member {
  readonly name?: { readonly value: string };
  readonly directives?: readonly DirectiveNode[];
  readonly fields?: readonly Member[];
  readonly arguments?: readonly Member[];
  readonly values?: readonly Member[];
}

/** The fields, arguments and enum values of a schema, each with its preset. Hasura hides an argument with a preset. */
function membersOf(document: DocumentNode): ReadonlyMap<string, string> {
  const below = (member: Member, path: string): readonly (readonly [string, string])[] =>
    [...(member.fields ?? []), ...(member.arguments ?? []), ...(member.values ?? [])].flatMap((part) => {
      const own = `${path}.${part.name?.value ?? ""}`;
      const presets = (part.directives ?? []).filter(({ name }) => name.value === "preset");
      return [[own, presets.map((preset) => print(preset)).join(" ")], ...below(part, own)] as const;
    });
  return new Map(document.definitions.flatMap((type: Member) => below(type, type.name?.value ?? "schema")));
}

function documentChanges(before: string, after: string): readonly (readonly [Direction, string])[] {
  let old: ReadonlyMap<string, string>;
  let now: ReadonlyMap<string, string>;
  try {
    [old, now] = [membersOf(parse(before)), membersOf(parse(after))];
  } catch {
    return before === after ? [] : [["changed", "its schema document changed, and cannot be parsed"]];
  }
  const settable = (members: ReadonlyMap<string, string>) =>
    [...members].filter(([, preset]) => preset === "").map(([name]) => name);
  const grouped = Map.groupBy(
    eachChange(settable(old), settable(now), (name, direction) => ({ name, direction })),
    ({ direction }) => direction,
  );
  const changed = [...now].filter(
    ([name, preset]) => preset !== "" && (old.get(name) ?? preset) !== preset && old.get(name) !== "",
  );
  return [
    ...[...grouped].map(([direction, found]): readonly [Direction, string] => [
      direction,
      `it can ${direction === "wider" ? "now" : "no longer"} use ${some(found.map(({ name }) => name))}`,
    ]),
    ...changed.map(([name, preset]): readonly [Direction, string] => [
      "changed",
      `the preset of ${name} is now ${preset}`,
    ]),
  ];
}

const some = (names: readonly string[]) =>
  names.length <= 5 ? listed(names) : `${names.slice(0, 4).join(", ")} and ${names.length - 4} more`;

function restEndpoints(before: Walked, after: Walked): readonly AccessChange[] {
  return inBoth(before, after, "rest_endpoints").flatMap(({ name, old, now, at }): readonly AccessChange[] => {
    const said = (endpoint: Fields) =>
      `the REST endpoint ${name} (${Array.isArray(endpoint["methods"]) ? endpoint["methods"].join(", ") : ""} ${String(endpoint["url"])})`;
    if (now === undefined)
      return old === undefined ? [] : [{ at, name, direction: "narrower", reason: `${said(old)} is no longer served` }];
    if (old === undefined) return [{ at, name, direction: "wider", reason: `${said(now)} is served now` }];
    const isSame = ["url", "methods", "definition"].every((key) => isDeepStrictEqual(old[key], now[key]));
    return isSame ? [] : [{ at, name, direction: "changed", reason: `${said(now)} changed; it was ${said(old)}` }];
  });
}

/** Roles that may use an allowed collection; `*` is every role. */
function allowedRoles(entry: Fields | undefined): readonly string[] {
  if (entry === undefined) return [];
  const { scope } = entry;
  return isFields(scope) && scope["global"] === false && Array.isArray(scope["roles"])
    ? scope["roles"].map(String)
    : ["*"];
}

function allowedQueries(before: Walked, after: Walked): readonly AccessChange[] {
  const entries = inBoth(before, after, "allowlist", "collection");
  const allowed = new Set(
    entries.filter(({ old, now }) => old !== undefined && now !== undefined).map(({ name }) => name),
  );
  const scopes = entries.flatMap(({ name, old, now, at }) => {
    const [from, to] = [allowedRoles(old), allowedRoles(now)];
    const change = (role: string, direction: Direction): AccessChange => {
      const reason = `${role === "*" ? "every role" : role} may ${direction === "wider" ? "now" : "no longer"} send the queries of the collection ${name}`;
      return { at, name, ...(role === "*" ? {} : { role }), direction, reason };
    };
    // A list of roles in place of every role is narrower, and the reverse is wider.
    if (from.includes("*") && to.length > 0) return to.includes("*") ? [] : [change("*", "narrower")];
    return to.includes("*") ? [change("*", "wider")] : eachChange(from, to, change);
  });
  const queriesOf = (collection: Fields | undefined) =>
    isFields(collection?.["definition"]) ? fieldsIn(collection["definition"]["queries"]) : [];
  const queries = inBoth(before, after, "query_collections").flatMap(({ name: collection, old, now, at }) =>
    !allowed.has(collection)
      ? []
      : paired(queriesOf(old), queriesOf(now), [...at, "definition", "queries"]).flatMap(
          (query): readonly AccessChange[] => {
            const what = `the query ${query.name} of the allowed collection ${collection}`;
            const place = { at: query.at, name: query.name };
            if (query.old === undefined) return [{ ...place, direction: "wider", reason: `${what} may be sent now` }];
            if (query.now === undefined)
              return [{ ...place, direction: "narrower", reason: `${what} may no longer be sent` }];
            return query.old["query"] === query.now["query"]
              ? []
              : [{ ...place, direction: "changed", reason: `${what} changed` }];
          },
        ),
  );
  return [...scopes, ...queries];
}

const webhookOf = (trigger: Fields): string => {
  const address = trigger["webhook"] ?? trigger["webhook_from_env"];
  return typeof address === "string" ? address.replace(/\?.*$/, "") : "its webhook";
};

function eventTriggers(before: Walked, after: Walked): readonly AccessChange[] {
  const earlier = new Map(tablesOf(before).map(({ key, raw }) => [key, raw]));
  return tablesOf(after).flatMap(({ key, raw, path }) =>
    paired(fieldsIn(earlier.get(key)?.["event_triggers"]), fieldsIn(raw["event_triggers"]), [
      ...path,
      "event_triggers",
    ]).flatMap(({ name, old, now, at }): readonly AccessChange[] => {
      const place = { at, table: key, name };
      const what = `the event trigger ${name}`;
      if (now === undefined)
        return [{ ...place, direction: "narrower", reason: `${what} no longer sends rows of ${key}` }];
      if (old === undefined || webhookOf(old) !== webhookOf(now))
        return [{ ...place, direction: "wider", reason: `${what} now sends rows of ${key} to ${webhookOf(now)}` }];
      const operations = (trigger: Fields) => Object.keys(isFields(trigger["definition"]) ? trigger["definition"] : {});
      return eachChange(operations(old), operations(now), (operation, direction) => {
        const reason = `${what} sends rows of ${key} ${direction === "wider" ? "now also" : "no longer"} on ${operation}`;
        return { ...place, direction, reason };
      });
    }),
  );
}

function cronTriggers(before: Walked, after: Walked): readonly AccessChange[] {
  return inBoth(before, after, "cron_triggers").flatMap(({ name, old, now, at }): readonly AccessChange[] =>
    now === undefined || (old !== undefined && webhookOf(old) === webhookOf(now))
      ? []
      : [{ at, name, direction: "changed", reason: `the cron trigger ${name} now calls ${webhookOf(now)}` }],
  );
}

function tlsHosts(before: Walked, after: Walked): readonly AccessChange[] {
  const hostsOf = ({ project }: Walked) => {
    const { network } = project.loaded.merged;
    return isFields(network) ? fieldsIn(network["tls_allowlist"]).map(({ host }) => String(host)) : [];
  };
  return eachChange(hostsOf(before), hostsOf(after), (name, direction) => {
    const reason = `the certificate of ${name} is ${direction === "wider" ? "no longer" : "now"} verified`;
    return { at: ["network"], name, direction, reason };
  });
}

function numbersIn(value: unknown, path: string): readonly (readonly [string, number])[] {
  if (typeof value === "number") return [[path, value]];
  return isFields(value)
    ? Object.entries(value).flatMap(([key, item]) => numbersIn(item, path === "" ? key : `${path}.${key}`))
    : [];
}

function apiLimits(before: Walked, after: Walked): readonly AccessChange[] {
  const limitsOf = ({ project }: Walked) => {
    const limits = project.loaded.merged["api_limits"];
    return new Map(isFields(limits) && limits["disabled"] !== true ? numbersIn(limits, "") : []);
  };
  const [old, now] = [limitsOf(before), limitsOf(after)];
  const said = (limit: number) => (Number.isFinite(limit) ? String(limit) : "unlimited");
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name): readonly AccessChange[] => {
    const [from, to] = [old.get(name) ?? Number.POSITIVE_INFINITY, now.get(name) ?? Number.POSITIVE_INFINITY];
    if (from === to) return [];
    const reason = `the API limit ${name} is ${said(to)}, and was ${said(from)}`;
    return [{ at: ["api_limits"], name, direction: to > from ? "wider" : "narrower", reason }];
  });
}
