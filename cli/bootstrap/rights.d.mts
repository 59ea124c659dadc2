export function unwritable(
  error: unknown,
  project: string,
  access?: (path: string, mode: number) => void,
): { readonly what: string; readonly remedy: string } | undefined;
