import { EngineError } from "../errors.ts";
import { inputMeta } from "../schema/meta.ts";
import type { FunctionCall } from "../schema/model.ts";
import type { FunctionArgument } from "../sql/expression.ts";
import { inputType } from "../sql/operators.ts";
import type { Input } from "./input.ts";
import { entriesOf, parameterOf } from "./where.ts";

/**
 * A function's arguments from the client's `args`. An omitted argument gets its default; later ones are passed by name.
 * @throws EngineError validation-failed when `args` is null, not-supported when an argument without default is omitted, or when an unnamed
 * one follows an omitted one
 */
export function readFunctionArguments(
  call: FunctionCall,
  input: Input | undefined,
  path: string,
): readonly FunctionArgument[] {
  const given = new Map<string, Input>();
  for (const { field, value } of input === undefined ? [] : entriesOf(input)) {
    const meta = inputMeta(field);
    if (meta.kind === "function-argument") given.set(meta.argument.name, value);
  }
  const at = `${path}.args.args`;
  const result: FunctionArgument[] = [];
  let omitted = false;
  for (const [index, position] of call.arguments.entries()) {
    const declared = call.function.arguments[index];
    if (declared === undefined) continue;
    if (position.kind === "row") {
      result.push({ kind: "row" });
      continue;
    }
    const value = position.kind === "client" ? given.get(position.argument.name) : undefined;
    if (position.kind === "client" && value === undefined) {
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
    const parameter =
      value === undefined
        ? ({ source: { kind: "session-object" }, type: declared.type.sql } as const)
        : parameterOf(value, declared.type, inputType(declared.type), { acceptsNull: true });
    result.push({ kind: "parameter", name, parameter });
  }
  return result;
}
