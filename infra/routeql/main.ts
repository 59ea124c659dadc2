import { main } from "@pulumi/pulumi/provider/index.js";
import { provider } from "./provider.ts";

await main(provider, process.argv.slice(2));
