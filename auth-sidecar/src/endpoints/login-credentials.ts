import { paths } from "@routeql/contract/paths";
import { jsonBody } from "../http/json-body.ts";
import { serviceKey } from "../http/service-key.ts";
import type { Endpoint, Parts } from "./endpoint.ts";
import { sessionLogin } from "./session-login.ts";

/** Login with e-mail and password of a local account; creates a session. */
export function loginCredentials(parts: Parts): Endpoint {
  const { settings, local } = parts;
  return {
    path: paths.loginCredentials,
    audience: "public",
    methods: ["POST"],
    handlers: [
      serviceKey(settings.SERVICE_API_KEY),
      ...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: true }),
      sessionLogin(parts, local, "session"),
    ],
  };
}
