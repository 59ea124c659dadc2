import { createRequire } from "node:module";
import { ApiClient, defaultConfig } from "./api/client.ts";
import { Cluster } from "./api/cluster.ts";
import { kubernetesProvider } from "./provider.ts";

const { version } = createRequire(import.meta.url)("@pulumi/kubernetes/package.json") as { version: string };

// What a plugin writes to its standard error is in the run's log.
const warn = (text: string): void => console.error(`Warning of the Kubernetes API server: ${text}`);

export const provider = kubernetesProvider(version, () => new Cluster(new ApiClient(defaultConfig(), warn)));
