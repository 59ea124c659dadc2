import { createRequire } from "node:module";
import { makeProvider } from "../provider/provider.ts";
import { randomBytes } from "./random-bytes.ts";
import { randomId } from "./random-id.ts";
import { randomPassword } from "./random-password.ts";

const { version } = createRequire(import.meta.url)("@pulumi/random/package.json") as { version: string };

export const provider = makeProvider("random", version, {
  "random:index/randomPassword:RandomPassword": randomPassword,
  "random:index/randomBytes:RandomBytes": randomBytes,
  "random:index/randomId:RandomId": randomId,
});
