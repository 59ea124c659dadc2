import { main } from "@pulumi/pulumi/provider/index.js";
import { provider } from "./provider.ts";

// Without `await`: Pulumi loads the module with `require`.
void main(provider, process.argv.slice(2));
