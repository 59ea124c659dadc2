import { readFileSync } from "node:fs";

/** Version of the package. Its package.json is one folder above `src` or `dist`. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { readonly version: string }
).version;
