export function proxyEnvironment(environment: NodeJS.ProcessEnv): Record<string, string>;
export function checkProxy(registry: string, environment?: NodeJS.ProcessEnv, milliseconds?: number): Promise<void>;
