import type { MergedPath } from "@routeql/metadata/read/load";
import { isUnauthorized, listed, permissionsOf, type Rule, writesOf } from "./rule.ts";

interface Use {
  /** As it is written. */
  readonly text: string;
  readonly at: MergedPath;
}

/** Texts in a filter that are, or look like, session variables. */
export function variablesIn(value: unknown, at: MergedPath): readonly Use[] {
  if (typeof value === "string") return /^x.?hasur/i.test(value) ? [{ text: value, at }] : [];
  if (Array.isArray(value)) return value.flatMap((item, index) => variablesIn(item, [...at, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => variablesIn(item, [...at, key]));
}

const isVariable = (text: string) => /^x-hasura-/i.test(text);

interface PlacedUse extends Use {
  readonly role: string;
  readonly table: string;
}

/** Uses in all permissions, those to write too. */
function usesOf(examined: Parameters<Rule["find"]>[0]): readonly PlacedUse[] {
  const reading = permissionsOf(examined).flatMap(({ permission, at, role, key }) => variablesIn(permission.filter, [...at, "filter"]).map((use) => ({ ...use, role, table: key })));
  const writing = writesOf(examined).flatMap(({ permission, at, role, key }) => variablesIn(permission, at).map((use) => ({ ...use, role, table: key })));
  return [...reading, ...writing];
}

/** `x-hasura-role` is the engine's own. */
const always = ["x-hasura-role"];

export const unsetSessionVariable: Rule = {
  id: "unset-session-variable",
  severity: "error",
  needs: "sessionVariables in hasura-checks.yaml",
  finds: "a session variable that no token carries",
  why: "Every request of the role then fails, or, for a role without authentication, the client itself may set it.",
  remedy: "correct the name, let the tokens carry it, or add it to sessionVariables in hasura-checks.yaml",
  find: (examined) => {
    const carried = examined.configuration.sessionVariables;
    if (carried === undefined) return [];
    return usesOf(examined)
      .filter(({ text }) => isVariable(text) && ![...carried, ...always].includes(text.toLowerCase()))
      .map(({ text, at, role, table }) => ({ at, role, table, name: text.toLowerCase(), reason: `the filter of ${role} on ${table} needs ${text.toLowerCase()}, and tokens carry only ${listed(carried)}` }));
  },
};

export const spoofableSession: Rule = {
  id: "spoofable-session",
  severity: "warning",
  finds: "a filter or a preset of a role without authentication that takes a session variable",
  why: "Where there is no token, Hasura takes the session from the request's own X-Hasura- headers: whoever asks chooses whose rows they are.",
  remedy: "filter by what the row holds instead; except it where the value is one that only the right client knows, such as an invitation's, or where a gateway strips X-Hasura- headers; unauthorizedRole in hasura-checks.yaml says which role it is",
  find: (examined) =>
    usesOf(examined)
      .filter(({ text, role }) => isVariable(text) && !always.includes(text.toLowerCase()) && isUnauthorized(role, examined))
      .map(({ text, at, role, table }) => ({ at, role, table, name: text.toLowerCase(), reason: `${role} on ${table} takes ${text.toLowerCase()}, which a request without a token may set to anything` })),
};

export const sessionVariableSpelling: Rule = {
  id: "session-variable-spelling",
  severity: "error",
  finds: "a text that was meant to be a session variable",
  why: "Only what begins with x-hasura- is taken from the session; anything else is compared as the text that it is, and a negated comparison then lets every row through.",
  remedy: "write it as x-hasura-NAME",
  find: (examined) =>
    usesOf(examined)
      .filter(({ text }) => !isVariable(text))
      .map(({ text, at, role, table }) => ({ at, role, table, name: text, reason: `the filter of ${role} on ${table} compares with the text "${text}", which is no session variable` })),
};

const letters = (name: string) => name.toLowerCase().replace("x-hasura-", "").replaceAll(/[^a-z0-9]/g, "");

export const sessionVariableVariants: Rule = {
  id: "session-variable-variants",
  severity: "warning",
  finds: "session variables whose names differ by punctuation or a last s alone",
  why: "One of the two spellings is in no token, and every request that needs it fails.",
  remedy: "write the variable in one way; sessionVariables in hasura-checks.yaml says which ones tokens carry",
  find: (examined) => {
    const uses = usesOf(examined).filter(({ text }) => isVariable(text));
    const bySound = new Map<string, Map<string, PlacedUse[]>>();
    for (const use of uses) {
      const name = use.text.toLowerCase();
      const variants = bySound.get(letters(name).replace(/s$/, "")) ?? new Map<string, PlacedUse[]>();
      variants.set(name, [...(variants.get(name) ?? []), use]);
      bySound.set(letters(name).replace(/s$/, ""), variants);
    }
    return [...bySound.values()]
      .map((variants) => [...variants].toSorted(([, one], [, other]) => one.length - other.length))
      .flatMap(([[name, [use]] = ["", []], ...others]) =>
        use === undefined || others.length === 0
          ? []
          : [{ at: use.at, role: use.role, table: use.table, name, reason: `the filter of ${use.role} on ${use.table} takes ${name}, where others take ${listed(others.map(([other]) => other))}` }],
      );
  },
};
