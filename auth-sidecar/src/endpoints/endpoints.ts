import type { Endpoint, Parts } from "./endpoint.ts";
import { jwks } from "./jwks.ts";
import { loginCredentials, loginLdap, logout } from "./session.ts";
import { liveness, readiness } from "./readiness.ts";
import { singleStepToken } from "./single-step-token.ts";
import { token } from "./token.ts";

export function endpoints(parts: Parts): Endpoint[] {
  return [
    loginCredentials(parts),
    loginLdap(parts),
    token(parts),
    logout(parts),
    singleStepToken(parts),
    jwks(parts),
    liveness(),
    readiness(parts),
  ];
}
