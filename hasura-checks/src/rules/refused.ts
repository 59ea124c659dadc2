import { Naming } from "@routeql/metadata/naming";
import { isFields } from "../metadata/conditions.ts";
import { tablesOf } from "../metadata/walk.ts";
import type { Examined, Found, Rule } from "./rule.ts";

export const refusedName: Rule = {
  id: "refused-name",
  severity: "error",
  finds:
    "a select permission or an inherited role with the name admin, inherited roles that form a cycle, and a table whose name is no GraphQL name",
  why: "The object is inconsistent: its role or its root fields are missing, or the deployment fails.",
  remedy: "remove the permission or the role, or give the table a custom_name",
  // With a database, the check of the engine names them.
  find: (examined) =>
    examined.state === undefined ? [...ofAdmin(examined), ...inCycles(examined), ...unnameable(examined)] : [],
};

function ofAdmin(examined: Examined): readonly Found[] {
  const everything = "the role admin has access to everything";
  const permissions = tablesOf(examined).flatMap(({ table, key, path }) =>
    table.select_permissions.flatMap(({ role }, index): readonly Found[] => {
      if (role !== "admin") return [];
      const reason = `${everything}, and ${key} has a select permission for it`;
      return [{ at: [...path, "select_permissions", index, "role"], role, table: key, reason }];
    }),
  );
  const inherited = examined.metadata.inherited_roles.flatMap(({ role_name: role }, index): readonly Found[] =>
    role === "admin"
      ? [{ at: ["inherited_roles", index], role, reason: `${everything}, and cannot be inherited` }]
      : [],
  );
  return [...permissions, ...inherited];
}

function inCycles({ metadata: { inherited_roles: roles } }: Examined): readonly Found[] {
  const sets = new Map(roles.map(({ role_name: name, role_set: set }) => [name, set]));
  /** Whether a role reaches itself. */
  const reaches = (role: string): boolean => {
    const seen = new Set<string>();
    const waiting = [...(sets.get(role) ?? [])];
    for (const each of waiting) {
      if (each === role) return true;
      if (seen.has(each)) continue;
      seen.add(each);
      waiting.push(...(sets.get(each) ?? []));
    }
    return false;
  };
  return roles.flatMap(({ role_name: role }, index): readonly Found[] =>
    reaches(role)
      ? [{ at: ["inherited_roles", index], role, reason: `the inherited role ${role} contains itself` }]
      : [],
  );
}

const graphqlName = /^[_A-Za-z][_0-9A-Za-z]*$/;

function unnameable(examined: Examined): readonly Found[] {
  const namings = new Map(
    examined.metadata.sources.map(({ name, customization }) => [name, new Naming(customization, "hasura-default")]),
  );
  return tablesOf(examined).flatMap(({ table, key, source, path }): readonly Found[] => {
    const field = namings.get(source)?.base(table.configuration?.custom_name, table.table).field ?? "";
    if (graphqlName.test(field)) return [];
    return [
      { at: [...path, "table"], table: key, reason: `"${field}" is not a GraphQL name; give ${key} a custom_name` },
    ];
  });
}

export const restEndpoint: Rule = {
  id: "rest-endpoint",
  severity: "error",
  finds: "a REST endpoint whose method or path Hasura refuses, or whose path and method another endpoint has",
  why: "Hasura refuses the whole metadata for an unknown method. It marks the endpoint as inconsistent for its path.",
  remedy: "correct the endpoint: methods are GET, POST, PUT, PATCH and DELETE, and a path is like notes/:id",
  find: ({ project }) => {
    const { rest_endpoints: list } = project.loaded.merged;
    const endpoints = (Array.isArray(list) ? list : []).map(endpointOf);
    return endpoints.flatMap((endpoint, index): readonly Found[] => {
      if (endpoint === undefined) return [];
      const earlier = endpoints.slice(0, index).find((other) => other !== undefined && isAmbiguous(endpoint, other));
      const reason =
        ownProblem(endpoint) ??
        (earlier === undefined ? undefined : `the path ${endpoint.url} is ambiguous beside ${earlier.url}`);
      const { name } = endpoint;
      return reason === undefined ? [] : [{ at: ["rest_endpoints", index], name, reason: `${name}: ${reason}` }];
    });
  },
};

interface Endpoint {
  readonly name: string;
  readonly url: string;
  readonly segments: readonly string[];
  readonly methods: readonly string[];
}

const methods = new Set(["GET", "POST", "PUT", "DELETE", "PATCH"]);

function endpointOf(value: unknown): Endpoint | undefined {
  if (!isFields(value) || typeof value["url"] !== "string" || !Array.isArray(value["methods"])) return undefined;
  const { url } = value;
  return { name: String(value["name"]), url, segments: url.split("/"), methods: value["methods"].map(String) };
}

function ownProblem({ url, segments, methods: own }: Endpoint): string | undefined {
  const unknown = own.find((method) => !methods.has(method));
  if (unknown !== undefined) return `the method ${unknown} is not supported`;
  if (segments.some((segment) => segment === "" || segment === ":"))
    return `the path ${url} has an empty segment or an unnamed variable`;
  const variables = segments.filter((segment) => segment.startsWith(":"));
  return new Set(variables).size < variables.length ? `the path ${url} has a variable twice` : undefined;
}

/** Whether a request fits both: of two segments at one place, at least one is a variable or both are equal. */
const isAmbiguous = (one: Endpoint, other: Endpoint): boolean =>
  one.name !== other.name &&
  one.methods.some((method) => other.methods.includes(method)) &&
  one.segments.length === other.segments.length &&
  one.segments.every((segment, index) => {
    const against = other.segments[index] ?? "";
    return segment === against || segment.startsWith(":") || against.startsWith(":");
  });
