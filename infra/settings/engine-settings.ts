/**
 * Settings that select the GraphQL engine: a section of the list in list.ts. docs/operate/hasura.md describes the differences for
 * operators.
 * @module
 */
import { pins } from "@routeql/pins/pins";
import { image, oneOf } from "./checks.ts";
import { text } from "./setting.ts";

/**
 * Value of `hasuraImage` for this project's own engine, built here and deployed like Hasura: with a metadata database, the job that
 * fills it, and Hasura's names for its settings.
 */
export const ownEngineImage = "routeql/engine";

export const engineSettings = {
  engine: text({
    environment: "ENGINE",
    default: "embedded",
    defaultIn: { dev: "hasura", prod: "hasura" },
    meaning: "GraphQL engine: the embedded one, or Hasura v2.",
    ...oneOf("embedded", "hasura"),
  }),
  hasuraImage: text({
    environment: "HASURA_IMAGE",
    default: pins.hasura.image,
    meaning: `Image of Hasura v2, for the engine \`hasura\`. \`${ownEngineImage}\` is the embedded engine in Hasura's place.`,
    ...image,
  }),
} as const;
