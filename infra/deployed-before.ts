import { getOrganization, getProject, getStack, runtime } from "@pulumi/pulumi";

type Outputs = Readonly<Record<string, unknown>>;

/** By the connection to the engine; each run of a program has its own. */
const answers = new WeakMap<object, Promise<Outputs>>();

/**
 * Outputs of the last successful update, from the stack's own state; empty for a new stack. Creates no resource. Asked once in a run: the engine
 * writes the state while resources are created, and may then read an empty file ("failed to load checkpoint: EOF").
 */
export function outputsBefore(): Promise<Outputs> {
  const engine = runtime.getMonitor();
  if (engine === undefined) return ask();
  const answer = answers.get(engine) ?? ask();
  answers.set(engine, answer);
  return answer;
}

async function ask(): Promise<Outputs> {
  const name = `${getOrganization()}/${getProject()}/${getStack()}`;
  const { outputs } = (await runtime.invoke("pulumi:pulumi:readStackOutputs", { name }, { async: true })) as {
    readonly outputs?: Outputs;
  };
  return outputs ?? {};
}
