import { providerVersion } from "../choice.ts";
import { makeProvider } from "../shared/provider.ts";
import { randomBytes } from "./random-bytes.ts";
import { randomId } from "./random-id.ts";
import { randomPassword } from "./random-password.ts";

export const provider = makeProvider("random", providerVersion("random"), {
  "random:index/randomPassword:RandomPassword": randomPassword,
  "random:index/randomBytes:RandomBytes": randomBytes,
  "random:index/randomId:RandomId": randomId,
});
