import { expect, test } from "vitest";
import { withPoolSize } from "./pool-size.ts";

const url = { database_url: { from_env: "ROUTEQL_DATABASE_URL" } };

test("a Postgres source gets the configured pool size, and keeps its own", () => {
  const metadata = {
    version: 3,
    sources: [{ name: "default", kind: "postgres", configuration: { connection_info: url } }],
  };
  expect(withPoolSize(metadata, 7)).toEqual({
    version: 3,
    sources: [
      {
        name: "default",
        kind: "postgres",
        configuration: { connection_info: { ...url, pool_settings: { max_connections: 7 } } },
      },
    ],
  });
});

test.each([
  {
    name: "own",
    kind: "postgres",
    configuration: { connection_info: { ...url, pool_settings: { max_connections: 3 } } },
  },
  { name: "other", kind: "bigquery", configuration: {} },
])("leaves the source $name unchanged", (source) => {
  expect(withPoolSize({ sources: [source] }, 7)).toEqual({ sources: [source] });
});

test("leaves metadata without sources unchanged", () =>
  expect(withPoolSize({ version: 3 }, 7)).toEqual({ version: 3 }));
