/** The paths of the wire contract that more than one service uses. */

export const paths = {
  graphql: "/api/graphql",
  loginCredentials: "/api/auth/login/credentials",
  loginLdap: "/api/auth/login/ldap",
  token: "/api/auth/jwt",
  logout: "/api/auth/logout",
  singleStepToken: "/jwt/auth",
  health: "/healthz",
} as const;
