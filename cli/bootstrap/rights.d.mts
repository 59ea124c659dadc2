export function unwritable(
  error: unknown,
  project: string,
): { readonly what: string; readonly remedy: string } | undefined;
