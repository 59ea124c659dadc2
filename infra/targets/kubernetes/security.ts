import type { types } from "@pulumi/kubernetes";
import type { ServiceDescription } from "../../services/description.ts";

/** Requirements of Pod Security `restricted` for a pod, with the service's own user. */
export function podSecurity({ user, data }: ServiceDescription): types.input.core.v1.PodSecurityContext {
  return {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    // A new volume belongs to root; the group makes it writable.
    ...(data === undefined ? {} : { fsGroup: user, fsGroupChangePolicy: "OnRootMismatch" }),
    seccompProfile: { type: "RuntimeDefault" },
  };
}

/** The same for each container, and a read-only root. */
export const containerSecurity: types.input.core.v1.SecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
  privileged: false,
};
