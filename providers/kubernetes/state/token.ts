/** Group, version and kind in a type token of the kubernetes provider. */
export interface TypeOfToken {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Types that are no objects of the API: the official provider implements them with its own programs. */
const programs = /^kubernetes:(helm\.sh|kustomize|yaml)(\/|:)/;

/**
 * `kubernetes:core/v1:Service` → v1, Service.
 * @throws Error for an unsupported type
 */
export function parseToken(token: string): TypeOfToken {
  const [, group = "", kind = "", more] = token.split(":");
  const refuse = (why: string): never => {
    throw new Error(
      `the stand-in kubernetes provider does not support the resource type ${token}: ${why}; use the official provider`,
    );
  };
  if (programs.test(token)) refuse("it supports only objects of the Kubernetes API");
  if (!token.startsWith("kubernetes:") || kind === "" || more !== undefined || !/^[^/]+(\/v\d\w*)$/.test(group))
    refuse("it is not a kind of the Kubernetes API");
  if (kind.endsWith("Patch")) refuse("it cannot patch objects of other owners");
  if (kind.endsWith("List")) refuse("a list is not an object");
  return { apiVersion: group.replace(/^core\//, ""), kind };
}
