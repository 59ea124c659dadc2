// npx graphql-codegen --config codegen.mjs
export default {
  schema: [
    {
      [`${process.env.ROUTEQL_URL}/api/graphql`]: { headers: { Authorization: `Bearer ${process.env.ROUTEQL_TOKEN}` } },
    },
  ],
  documents: ["queries.ts"],
  generates: {
    "./generated/": {
      preset: "client",
      config: {
        // AS numbers and counts fit into a number. Times and prefixes arrive as text, communities and paths as JSON.
        scalars: { bigint: "number", timestamp: "string", inet: "string", json: "unknown" },
        useTypeImports: true,
      },
    },
  },
};
