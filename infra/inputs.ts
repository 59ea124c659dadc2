/** Values that may be outputs of other resources. Known values stay plain, so that they are checked and shown at once. */
import { type Input, output, Output, runtime, type Unwrap } from "@pulumi/pulumi";

/** Whether a value is an output or a promise, whose value the program learns during the deployment. */
export const isPending = (value: unknown): value is Output<unknown> | Promise<unknown> =>
  Output.isInstance(value) || value instanceof Promise;

/** The result of a function of an input, or of an object of inputs: at once for known values, otherwise as soon as they are known. */
export function derive<Given, Result>(given: Given, of: (value: Unwrap<Given>) => Result): Input<Result> {
  const pending = isPending(given) || (typeof given === "object" && Object.values(given ?? {}).some(isPending));
  return pending ? (output(given) as unknown as Output<Unwrap<Given>>).apply(of) : of(given as Unwrap<Given>);
}

export const textOf = (given: Input<string | number | boolean>): Input<string> => derive(given, String);

/** A value as the engine receives it: unknown parts are `runtime.unknownValue`, secrets are wrapped. */
export const serialized = (value: unknown): Promise<unknown> => runtime.serializeProperty("value", value);
