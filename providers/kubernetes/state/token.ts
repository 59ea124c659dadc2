/** Group, version and kind in a type token of the kubernetes provider. */
export interface TypeOfToken {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Tokens that are no objects of the API: programs of the official provider stand behind them. */
const programs = /^kubernetes:(helm\.sh|kustomize|yaml)(\/|:)/;

/** `kubernetes:core/v1:Service` → v1, Service. @throws Error for what this stand-in does not serve */
export function parseToken(token: string): TypeOfToken {
  const [, group = "", kind = "", more] = token.split(":");
  const refuse = (why: string): never => {
    throw new Error(`the stand-in kubernetes provider does not serve the resource type ${token}: ${why}; use the official provider`);
  };
  if (programs.test(token)) refuse("it serves objects of the Kubernetes API only");
  if (!token.startsWith("kubernetes:") || kind === "" || more !== undefined || !/^[^/]+(\/v\d\w*)$/.test(group)) refuse("it is no kind of the Kubernetes API");
  if (kind.endsWith("Patch")) refuse("patches of objects that others made are not among what it does");
  if (kind.endsWith("List")) refuse("a list is no object of its own");
  return { apiVersion: group.replace(/^core\//, ""), kind };
}
