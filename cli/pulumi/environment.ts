/** The environment of this process for Pulumi's CLI, without a passphrase, which would take the place of the stack's file. */
export function inheritedEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { PULUMI_CONFIG_PASSPHRASE: _, ...others } = environment;
  return others;
}
