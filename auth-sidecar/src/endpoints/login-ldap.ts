import { paths } from "@routeql/contract/paths";
import { SidecarError } from "../errors.ts";
import { serviceKey } from "../http/service-key.ts";
import type { Endpoint, Parts } from "./endpoint.ts";

/** Session flow against a directory. None can be configured yet, and that is what it says. */
export function loginLdap({ settings }: Parts): Endpoint {
  return {
    path: paths.loginLdap,
    audience: "public",
    methods: ["POST"],
    handlers: [
      serviceKey(settings.SERVICE_API_KEY),
      () => {
        throw new SidecarError("ldap-not-configured", { retryAfterSeconds: 3600 });
      },
    ],
  };
}
