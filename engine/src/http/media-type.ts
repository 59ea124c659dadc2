/** Media type of the GraphQL over HTTP specification; its replies have status codes of their own. */
export const graphqlResponseType = "application/graphql-response+json";

/**
 * Whether a client prefers {@link graphqlResponseType}: its Accept header (RFC 9110, 12.5.1) contains the type and gives JSON no higher
 * weight. Other clients get `application/json` with Hasura's status codes.
 */
export function prefersGraphqlResponse(accept: string | undefined): boolean {
  if (accept === undefined || !/graphql-response/i.test(accept)) return false;
  const weights = new Map(accept.split(",").map((range) => weighed(range)));
  const weight = weights.get(graphqlResponseType) ?? 0;
  return weight > 0 && weight >= (weights.get("application/json") ?? 0);
}

/** Whether the Accept header names `application/json` itself. GraphQL over HTTP then requires 400 for a body that is not JSON; Hasura answers 200. */
export function namesJson(accept: string | undefined): boolean {
  return accept !== undefined && accept.split(",").some((range) => weighed(range)[0] === "application/json");
}

/** A media range, without its parameters, and its weight. */
function weighed(range: string): readonly [type: string, weight: number] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}
