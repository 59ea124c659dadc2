import { deploymentMutations } from "./deployment-mutations.ts";
import { engineMutations } from "./engine-mutations.ts";
import { metadataMutations } from "./metadata-mutations.ts";
import type { Mutation } from "./mutation.ts";
import { sidecarMutations } from "./sidecar-mutations.ts";

/** Every deliberate fault that the suites must notice. */
export const mutations: readonly Mutation[] = [
  ...metadataMutations,
  ...engineMutations,
  ...sidecarMutations,
  ...deploymentMutations,
];
