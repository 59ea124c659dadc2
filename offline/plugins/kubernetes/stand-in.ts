import { officialVersion } from "../shared/version.ts";
import { ApiClient, defaultConfig } from "@routeql/host/kubernetes/client";
import { Cluster } from "@routeql/host/kubernetes/cluster";
import { kubernetesProvider } from "./provider.ts";

// The run's log contains the standard error of plugins.
const warn = (text: string): void => console.error(`Warning of the Kubernetes API server: ${text}`);

export const provider = kubernetesProvider(
  officialVersion("kubernetes"),
  () => new Cluster(new ApiClient(defaultConfig(), warn)),
);
