import { catalogAt, functionsOf } from "../metadata/walk.ts";
import type { Found, Rule } from "./rule.ts";

export const inferredFunction: Rule = {
  id: "inferred-function",
  severity: "warning",
  needs: "database",
  finds: "a function that every role with access to its returned table may call",
  why: "Hasura infers the permission for functions that are exposed as queries. All these roles can see which rows the function selects, and can infer the data that it reads.",
  remedy:
    "list the roles in the function's permissions and set HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS=false (inferFunctionPermissions: false in hasura-checks.yaml), or add an exception with the reason",
  find: (examined) => {
    if (!examined.configuration.inferFunctionPermissions) return [];
    return functionsOf(examined).flatMap(({ entry, key, path }): Found[] => {
      const found = catalogAt(examined, path)?.functions.get(key)?.[0];
      const exposedAs = entry.configuration?.exposed_as ?? (found?.volatility === "volatile" ? "mutation" : "query");
      if (found === undefined || exposedAs === "mutation") return [];
      const reason = `the function ${key} may be called by every role that may read the rows it returns`;
      return [{ at: [...path, "function"], name: key, reason }];
    });
  },
};
