import { keyOf } from "../declared/tables.ts";
import { advisoriesFor, describeAdvisory, type PermissionFeature, versionOf } from "@routeql/pins/advisories";
import { pins } from "@routeql/pins/pins";
import { catalogAt, tablesOf, writesOf } from "../metadata/walk.ts";
import type { Examined, Found, Rule } from "./rule.ts";

export const pinnedHasura: string = versionOf(pins.hasura.image)!.version;

type Use = Pick<Found, "at" | "table" | "role" | "name"> & { readonly what: string };

/** Places where the metadata uses a feature that had a permission problem. */
const uses: Readonly<Record<PermissionFeature, (examined: Examined) => readonly Use[]>> = {
  "table-computed-field": (examined) =>
    tablesOf(examined).flatMap(({ table, key, path }) =>
      table.computed_fields.flatMap(({ name, definition }, index): Use[] => {
        const returned = catalogAt(examined, path)?.functions.get(keyOf(definition.function));
        // Hasura derives the permission of a table computed field; only scalar ones are listed in a permission.
        const isListed = table.select_permissions.some(({ permission }) => permission.computed_fields.includes(name));
        const isTable =
          examined.catalogs === undefined
            ? !isListed
            : returned?.some(({ returnTable }) => returnTable !== undefined) === true;
        return isTable
          ? [
              {
                at: [...path, "computed_fields", index],
                table: key,
                name,
                what: `the table computed field ${name} on ${key}`,
              },
            ]
          : [];
      }),
    ),
  "nested-inherited-role": ({ metadata: { inherited_roles: inherited } }) => {
    const names = new Set(inherited.map(({ role_name: role }) => role));
    return inherited.flatMap(({ role_name: role, role_set: parts }, index) =>
      parts.flatMap((part, position) =>
        names.has(part)
          ? [
              {
                at: ["inherited_roles", index, "role_set", position],
                role,
                name: part,
                what: `${role}, which inherits from the inherited role ${part}`,
              },
            ]
          : [],
      ),
    );
  },
  "update-many": (examined) =>
    writesOf(examined)
      .filter(({ kind }) => kind === "update_permissions")
      .map(({ role, key, at }) => ({ at, table: key, role, what: `${role}, which may update ${key}` })),
};

export const hasuraAdvisory: Rule = {
  id: "hasura-advisory",
  severity: "error",
  finds: "a feature whose permissions the version of Hasura does not enforce, by a published advisory",
  why: `The permission is correct, and this version of Hasura does not enforce it. \`--hasura-version\` names the version; the default is ${pinnedHasura}.`,
  remedy: "run a fixed version of Hasura",
  find: (examined) => {
    const { hasuraVersion: version = pinnedHasura } = examined;
    return advisoriesFor({ program: "hasura", version }).flatMap((advisory) =>
      (advisory.feature === undefined ? [] : uses[advisory.feature](examined)).map(({ what, ...place }): Found => ({
        ...place,
        reason: `Hasura ${version} does not protect ${what}. ${describeAdvisory(advisory)}`,
        remedy: `run Hasura ${advisory.fixed.join(", ")} or newer`,
      })),
    );
  },
};
