export interface ProxyProblem {
  readonly what: string;
  readonly remedy: string;
}
export function proxyEnvironment(environment: NodeJS.ProcessEnv): Record<string, string>;
export function unreadableProxy(environment: NodeJS.ProcessEnv): ProxyProblem | undefined;
export function proxyProblem(
  url: string,
  environment?: NodeJS.ProcessEnv,
  milliseconds?: number,
): Promise<ProxyProblem | undefined>;
