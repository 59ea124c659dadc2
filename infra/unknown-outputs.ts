import type { Output } from "@pulumi/pulumi";

/** The value of an output; undefined for one that a preview does not know. The types of Pulumi omit `isKnown`. */
export async function valueIfKnown<Value>(output: Output<Value>): Promise<Value | undefined> {
  const { isKnown } = output as unknown as { readonly isKnown: Promise<boolean> };
  return (await isKnown) ? new Promise((resolve) => void output.apply(resolve)) : undefined;
}
