import { inputMeta } from "../schema/meta.ts";
import type { NativeArgument, NativeQuery } from "../schema/model.ts";
import type { Parameter } from "../sql/expression.ts";
import { inputType } from "../sql/operators.ts";
import type { Input } from "./input.ts";
import { parameterOf } from "./where.ts";

/** A native query's arguments from the client's `args`. Omitted nullable arguments are null. */
export function readNativeArguments(query: NativeQuery, input: Input | undefined): ReadonlyMap<NativeArgument, Parameter> {
  const given = new Map<NativeArgument, Input>();
  if (input?.kind === "object") {
    for (const { field, value } of input.entries) {
      const meta = inputMeta(field);
      if (meta.kind === "native-argument") given.set(meta.argument, value);
    }
  }
  return new Map(
    query.arguments.map((argument) => {
      const value = given.get(argument);
      const sql = inputType(argument.type);
      return [argument, value === undefined ? { source: { kind: "constant", text: null }, type: sql } : parameterOf(value, argument.type, sql, argument.nullable)];
    }),
  );
}
