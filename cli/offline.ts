import { existsSync } from "node:fs";
import { join } from "node:path";
import type * as Offline from "@routeql/offline";
import { projectFolder } from "@routeql/host/paths";

/** The replacements for downloads; undefined in a checkout without the folder offline/, which then needs the downloads. */
export async function offline(): Promise<typeof Offline | undefined> {
  return existsSync(join(projectFolder, "offline/package.json")) ? import("@routeql/offline") : undefined;
}
