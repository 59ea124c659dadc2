import type { LiveQuery } from "./cases.ts";
import { http } from "./transports.ts";

const unused = "x-hasura-unused";

interface Explained {
  readonly sql: string;
  readonly variables: { readonly session: Readonly<Record<string, string>> };
}

function isExplained(body: unknown): body is Explained {
  return typeof body === "object" && body !== null && "sql" in body && "variables" in body;
}

/**
 * Checks with explain whether subscribers share a statement as in Hasura: subscribers whose variables differ only in scalars share one,
 * others with different operators do not, and a session variable that no permission uses does not separate subscribers.
 * @returns the differences
 */
export async function compareLiveQuery(
  port: number,
  headers: Readonly<Record<string, string>>,
  { query, representative, same, different }: LiveQuery,
): Promise<string | undefined> {
  const explain = async (variables: unknown): Promise<Explained> => {
    const { status, body } = await http.send(port, {
      url: "/v1/graphql/explain",
      headers: { ...headers, [unused]: "1" },
      body: { query: { query, variables } },
    });
    if (status !== 200 || !isExplained(body))
      throw new Error(`expected a statement, found status ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const first = await explain(representative);
  if (unused in first.variables.session) return `${unused} is among the variables of the session`;
  for (const variables of same) {
    if ((await explain(variables)).sql !== first.sql)
      return `expected the statement of ${JSON.stringify(representative)} for ${JSON.stringify(variables)} too`;
  }
  for (const variables of different) {
    if ((await explain(variables)).sql === first.sql)
      return `expected another statement for ${JSON.stringify(variables)}`;
  }
  return undefined;
}
