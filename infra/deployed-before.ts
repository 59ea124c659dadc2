import { getOrganization, getProject, getStack, runtime } from "@pulumi/pulumi";

/** Outputs of the last successful update, from the stack's own state; empty for a new stack. Creates no resource. */
export async function outputsBefore(): Promise<Readonly<Record<string, unknown>>> {
  const name = `${getOrganization()}/${getProject()}/${getStack()}`;
  const { outputs } = (await runtime.invoke("pulumi:pulumi:readStackOutputs", { name }, { async: true })) as {
    readonly outputs?: Readonly<Record<string, unknown>>;
  };
  return outputs ?? {};
}
