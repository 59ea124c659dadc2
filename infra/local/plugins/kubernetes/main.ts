import { createRequire } from "node:module";
import { serveProvider } from "../provider/serve.ts";
import { ApiClient, defaultConfig } from "./api/client.ts";
import { Cluster } from "./api/cluster.ts";
import { kubernetesProvider } from "./provider.ts";

const { version } = createRequire(import.meta.url)("@pulumi/kubernetes/package.json") as { version: string };

// The engine shows what a plugin writes to its standard error with the update's other messages.
const warn = (text: string): void => console.error(`Warning of the Kubernetes API server: ${text}`);

await serveProvider(kubernetesProvider(version, () => new Cluster(new ApiClient(defaultConfig(), warn))));
