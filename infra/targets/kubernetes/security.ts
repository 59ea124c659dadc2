import type { types } from "@pulumi/kubernetes";
import type { ServiceDescription } from "../../services/description.ts";

/** What Pod Security `restricted` asks of a pod, with the service's own user. */
export function podSecurity({ user, data }: ServiceDescription): types.input.core.v1.PodSecurityContext {
  return {
    runAsNonRoot: true,
    runAsUser: user,
    runAsGroup: user,
    // A fresh volume belongs to root; the group makes it writable.
    ...(data === undefined ? {} : { fsGroup: user, fsGroupChangePolicy: "OnRootMismatch" }),
    seccompProfile: { type: "RuntimeDefault" },
  };
}

/** The same of each container, and a root that cannot be written. */
export const containerSecurity: types.input.core.v1.SecurityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
  privileged: false,
};
