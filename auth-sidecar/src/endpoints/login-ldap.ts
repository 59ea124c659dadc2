import { paths } from "@routeql/contract/paths";
import { SidecarError } from "../errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { serviceKey } from "../http/service-key.ts";
import type { Endpoint, Parts } from "./endpoint.ts";
import { sessionLogin } from "./session-login.ts";

/** Login with a directory account; creates a session. 503 without a configured directory. */
export function loginLdap(parts: Parts): Endpoint {
  const { settings, directory } = parts;
  return {
    path: paths.loginLdap,
    audience: "public",
    methods: ["POST"],
    handlers: [
      serviceKey(settings.SERVICE_API_KEY),
      ...(directory === undefined
        ? [refuse]
        : [...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: true }), sessionLogin(parts, directory, "directory session")]),
    ],
  };
}

function refuse(): never {
  throw new SidecarError("ldap-not-configured", { retryAfterSeconds: 3600 });
}
