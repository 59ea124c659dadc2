/**
 * Which engine answers GraphQL: part of the list in list.ts. What differs between the two for those who run them is in
 * docs/hasura.md.
 * @module
 */
import { image, oneOf } from "./checks.ts";
import { text } from "./setting.ts";

/**
 * Value of `hasuraImage` that stands for the engine of this project, built here and run as if it were Hasura: with a metadata
 * database, the job that fills it, and Hasura's own names for everything.
 */
export const ownEngineImage = "routeql/engine";

export const engineSettings = {
  engine: text({
    environment: "ENGINE",
    default: "embedded",
    defaultIn: { dev: "hasura", prod: "hasura" },
    meaning: "The GraphQL engine: this project's own, or Hasura v2.",
    ...oneOf("embedded", "hasura"),
  }),
  hasuraImage: text({
    environment: "HASURA_IMAGE",
    default: "hasura/graphql-engine:v2.48.16",
    meaning: `The image of Hasura v2, used with the engine \`hasura\`. \`${ownEngineImage}\` is this project's own engine in its place.`,
    ...image,
  }),
} as const;
