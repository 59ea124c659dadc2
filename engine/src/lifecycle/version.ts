import { readFileSync } from "node:fs";
import { z } from "zod";

const description = z.object({ version: z.string() });

/** The content of `/v1/version`: the Hasura version whose read API is served, with this engine's version as the build. */
export const engineVersion = `v2.48.0-routeql.${
  description.parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))).version
}`;
