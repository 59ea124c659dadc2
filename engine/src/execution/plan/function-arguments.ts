import { EngineError } from "../../errors.ts";
import { inputMeta } from "../../schema/meta.ts";
import type { FunctionCall } from "../../model.ts";
import type { FunctionArgument } from "../../sql/expression.ts";
import { inputType, typeSql } from "../../sql/operators.ts";
import type { Input } from "../document/input.ts";
import { entriesOf, parameterOf } from "./where.ts";

/** A function's arguments from the client's `args`; after an omitted one, by name. @throws EngineError if that is impossible */
export function readFunctionArguments(
  call: FunctionCall,
  input: Input | undefined,
  path: string,
): readonly FunctionArgument[] {
  const values = (input === undefined ? [] : entriesOf(input)).flatMap(({ field, value }) => {
    const meta = inputMeta(field);
    return meta.kind === "function-argument" ? [{ ...meta.argument, value }] : [];
  });
  // Hasura reads arguments with a default first.
  const ordered = [...values.filter(({ hasDefault }) => hasDefault), ...values.filter(({ hasDefault }) => !hasDefault)];
  const given = new Map(
    ordered.map(({ name, type, value }) => [name, parameterOf(value, type, inputType(type), { acceptsNull: true })]),
  );
  const at = `${path}.args.args`;
  const result: FunctionArgument[] = [];
  const kinds = new Set(call.arguments.map(({ kind }) => kind));
  // Hasura omits the session argument of a tracked function together with `args`.
  if (input === undefined && kinds.has("client") && !kinds.has("row")) return result;
  let omitted = false;
  for (const [index, position] of call.arguments.entries()) {
    const declared = call.function.arguments[index];
    if (declared === undefined) continue;
    if (position.kind === "row") {
      result.push({ kind: "row" });
      continue;
    }
    const parameter =
      position.kind === "session"
        ? ({ source: { kind: "session-object" }, type: typeSql(declared.type) } as const)
        : given.get(position.argument.name);
    if (parameter === undefined) {
      if (!declared.hasDefault)
        throw new EngineError({ code: "not-supported", path: at, message: "Non default arguments cannot be omitted" });
      omitted = true;
      continue;
    }
    if (omitted && declared.name === undefined) {
      const message = "Only last set of positional arguments can be omitted";
      throw new EngineError({ code: "not-supported", path: at, message });
    }
    const name = omitted ? declared.name : undefined;
    result.push({ kind: "parameter", name, parameter });
  }
  return result;
}
