/**
 * Where the images of the parts that are not this project's own come from: part of the list in list.ts.
 * @module
 */
import { image, oneOf } from "./checks.ts";
import { text } from "./setting.ts";

export const imageSettings = {
  images: text({
    environment: "IMAGES",
    default: "built",
    defaultIn: { dev: "official" },
    meaning:
      "Whether the database, the session store and the gateway run on images built here from Debian's packages, or on the official ones that the next three settings name. Not to be changed once there are data: the files belong to another user.",
    ...oneOf("built", "official"),
  }),
  databaseImage: text({
    environment: "DATABASE_IMAGE",
    default: "postgres:17.9",
    meaning: "The official image of the database: Postgres 17 on Debian.",
    ...image,
  }),
  sessionsImage: text({
    environment: "SESSIONS_IMAGE",
    default: "valkey/valkey:8.1.10",
    meaning: "The official image of the session store: Valkey 8 on Debian.",
    ...image,
  }),
  gatewayImage: text({
    environment: "GATEWAY_IMAGE",
    default: "nginx:1.28.3",
    meaning: "The official image of the gateway: nginx 1.26 or newer on Debian.",
    ...image,
  }),
} as const;
