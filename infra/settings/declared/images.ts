/** The GraphQL engine and the images of other projects: two sections of the list in list.ts. */
import { pins } from "@routeql/pins/pins";
import { imagePrefix, oneOf, serviceImage } from "../values/checks.ts";
import { flag, text } from "../values/setting.ts";

/** Value of `hasuraImage` for this project's own engine, deployed like Hasura: with a metadata database and the job that fills it. */
export const ownEngineImage = "routeql/engine";

export const engineSettings = {
  front: flag({
    argument: "engine.front",
    environment: "FRONT",
    structural: true,
    default: true,
    meaning: "Place the front (tokens, limits, WebSockets) before Hasura. Hasura alone enforces none of its limits.",
  }),
  engine: text({
    argument: "engine.kind",
    environment: "ENGINE",
    structural: true,
    default: "embedded",
    defaultIn: { dev: "hasura", prod: "hasura" },
    meaning: "GraphQL engine: the embedded one, or Hasura v2.",
    ...oneOf("embedded", "hasura"),
  }),
  hasuraImage: text({
    argument: "engine.hasuraImage",
    environment: "HASURA_IMAGE",
    default: pins.hasura.image,
    meaning: `Image of Hasura v2, for the engine \`hasura\`. \`${ownEngineImage}\` is the embedded engine in Hasura's place.`,
    ...serviceImage(ownEngineImage),
  }),
} as const;

/** Sources of the images that are not this project's own. */
export const imageSettings = {
  images: text({
    argument: "images",
    environment: "IMAGES",
    structural: true,
    default: "built",
    defaultIn: { dev: "official" },
    meaning:
      "Images of database, session store and gateway: built here, or the `official` ones of the next three settings. Do not change it once there is data.",
    ...oneOf("built", "official"),
  }),
  databaseImage: text({
    argument: "database.image",
    environment: "DATABASE_IMAGE",
    default: pins.postgres.image,
    meaning: "Official image of the database: Postgres 17 on Debian.",
    ...serviceImage(),
  }),
  sessionsImage: text({
    argument: "sessions.image",
    environment: "SESSIONS_IMAGE",
    default: pins.valkey.image,
    meaning: "Official image of the session store: Valkey 8 on Debian.",
    ...serviceImage(),
  }),
  gatewayImage: text({
    argument: "gateway.image",
    environment: "GATEWAY_IMAGE",
    default: pins.nginx.image,
    meaning: "Official image of the gateway: nginx 1.28 or newer on Debian trixie.",
    ...serviceImage(),
  }),
  imageMirror: text({
    argument: "imageMirror",
    environment: "IMAGE_MIRROR",
    meaning: "Registry and path that replace Docker Hub in image names, such as `registry.example.net/hub`.",
    ...imagePrefix,
  }),
} as const;
