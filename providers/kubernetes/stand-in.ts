import { providerVersion } from "../choice.ts";
import { ApiClient, defaultConfig } from "@routeql/host/kubernetes/client";
import { Cluster } from "@routeql/host/kubernetes/cluster";
import { kubernetesProvider } from "./provider.ts";

// What a plugin writes to its standard error is in the run's log.
const warn = (text: string): void => console.error(`Warning of the Kubernetes API server: ${text}`);

export const provider = kubernetesProvider(providerVersion("kubernetes"), () => new Cluster(new ApiClient(defaultConfig(), warn)));
