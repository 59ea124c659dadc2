import { sessionVariable } from "@routeql/metadata/filter-names";
import type { MergedPath } from "@routeql/metadata/read/load";
import { listed, permissionsOf, writesOf } from "../metadata/walk.ts";
import { type Found, isUnauthorized, type Rule } from "./rule.ts";

interface Use {
  /** As written in the metadata. */
  readonly text: string;
  readonly at: MergedPath;
  /** Whether it stands in a list, where Hasura takes it literally. */
  readonly isListed?: boolean;
}

/** Texts in a filter that are, or look like, session variables. */
export function variablesIn(value: unknown, at: MergedPath): readonly Use[] {
  if (typeof value === "string") return /^(?:x.?hasur|req_user_id$)/i.test(value) ? [{ text: value, at }] : [];
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) =>
      variablesIn(item, [...at, index]).map((use) => ({ ...use, isListed: use.isListed ?? typeof item === "string" })),
    );
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => variablesIn(item, [...at, key]));
}

const isVariable = ({ text, isListed }: Use) => isListed !== true && sessionVariable(text) !== undefined;

const nameOf = ({ text }: Use) => sessionVariable(text) ?? text;

interface PlacedUse extends Use {
  readonly role: string;
  readonly table: string;
}

/** A finding about a variable or another text in a permission. */
const inUse = ({ at, role, table }: PlacedUse, name: string, reason: string): Found => {
  return { at, role, table, name, reason };
};

/** Uses in all permissions, including write permissions. */
function usesOf(examined: Parameters<Rule["find"]>[0]): readonly PlacedUse[] {
  const reading = permissionsOf(examined).flatMap(({ permission, at, role, key }) =>
    variablesIn(permission.filter, [...at, "filter"]).map((use) => ({ ...use, role, table: key })),
  );
  const writing = writesOf(examined).flatMap(({ permission, at, role, key }) =>
    variablesIn(permission, at).map((use) => ({ ...use, role, table: key })),
  );
  return [...reading, ...writing];
}

/** The engine sets `x-hasura-role`. */
const always = ["x-hasura-role"];

export const unsetSessionVariable: Rule = {
  id: "unset-session-variable",
  severity: "error",
  needs: "sessionVariables in hasura-checks.yaml",
  finds: "a session variable that no token carries",
  why: "Every request of the role fails. For a role without authentication, the client sets the variable.",
  remedy: "correct the name, add the variable to the tokens, or add it to sessionVariables in hasura-checks.yaml",
  find: (examined) => {
    const carried = examined.configuration.sessionVariables;
    if (carried === undefined) return [];
    return usesOf(examined)
      .filter((use) => isVariable(use) && ![...carried, ...always].includes(nameOf(use)))
      .map((use) => {
        const name = nameOf(use);
        const needs = `the filter of ${use.role} on ${use.table} needs ${name}`;
        return inUse(use, name, `${needs}, and the tokens carry only ${listed(carried)}`);
      });
  },
};

export const spoofableSession: Rule = {
  id: "spoofable-session",
  severity: "warning",
  finds: "a filter or a preset of a role without authentication that uses a session variable",
  why: "Without a token, Hasura reads the session variables from the X-Hasura- headers of the request, so the client chooses their values.",
  remedy:
    "filter by a column of the row instead; add an exception where the value is a secret, such as an invitation code, or where a gateway removes X-Hasura- headers; set unauthorizedRole in hasura-checks.yaml if another role serves requests without a token",
  find: (examined) =>
    usesOf(examined)
      .filter((use) => isVariable(use) && !always.includes(nameOf(use)) && isUnauthorized(use.role, examined))
      .map((use) => {
        const name = nameOf(use);
        return inUse(use, name, `${use.role} on ${use.table} uses ${name}, which a request without a token can set`);
      }),
};

export const sessionVariableSpelling: Rule = {
  id: "session-variable-spelling",
  severity: "error",
  finds: "a text that resembles a session variable and is not one",
  why: "Hasura reads only names with the prefix x-hasura- from the session. It compares another text literally, and a negated comparison then selects every row.",
  remedy: "write it as x-hasura-NAME, and without brackets: a variable that holds a list is its own list",
  find: (examined) =>
    usesOf(examined)
      .filter((use) => !isVariable(use))
      .map((use) => {
        const compares = `the filter of ${use.role} on ${use.table} compares with the text "${use.text}"`;
        const where = use.isListed === true ? " in a list" : "";
        return inUse(use, use.text, `${compares}${where}, which is not a session variable`);
      }),
};

const letters = (name: string) =>
  name
    .toLowerCase()
    .replace("x-hasura-", "")
    .replaceAll(/[^a-z0-9]/g, "");

export const sessionVariableVariants: Rule = {
  id: "session-variable-variants",
  severity: "warning",
  finds: "session variables whose names differ only by punctuation or a final s",
  why: "The tokens carry one of the two spellings, and every request that needs the other one fails.",
  remedy: "use one spelling; list the variables of the tokens in sessionVariables in hasura-checks.yaml",
  find: (examined) => {
    const uses = usesOf(examined).filter(isVariable);
    return [...Map.groupBy(uses, (use) => letters(nameOf(use)).replace(/s$/, "")).values()]
      .map((alike) => [...Map.groupBy(alike, nameOf)].toSorted(([, one], [, other]) => one.length - other.length))
      .flatMap(([[name, [use]] = ["", []], ...others]) => {
        if (use === undefined || others.length === 0) return [];
        const uses = `the filter of ${use.role} on ${use.table} uses ${name}`;
        return [inUse(use, name, `${uses}, and other filters use ${listed(others.map(([other]) => other))}`)];
      });
  },
};
