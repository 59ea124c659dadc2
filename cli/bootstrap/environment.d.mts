export function foreignVariables(environment: NodeJS.ProcessEnv): string[];

export function missingIdentity(
  environment: NodeJS.ProcessEnv,
  project: string,
  accountOf?: () => { readonly username: string; readonly homedir: string } | undefined,
): Record<string, string>;

export function unusableTemporaryFolders(environment: NodeJS.ProcessEnv): string[];
