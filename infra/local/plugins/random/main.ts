import { createRequire } from "node:module";
import { serve } from "../provider/serve.ts";
import { randomBytes } from "./random-bytes.ts";
import { randomId } from "./random-id.ts";
import { randomPassword } from "./random-password.ts";

const { version } = createRequire(import.meta.url)("@pulumi/random/package.json") as { version: string };

await serve("random", version, {
  "random:index/randomPassword:RandomPassword": randomPassword,
  "random:index/randomBytes:RandomBytes": randomBytes,
  "random:index/randomId:RandomId": randomId,
});
