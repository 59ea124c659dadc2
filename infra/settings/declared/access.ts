/** Keys of the API and the first operator: sections of the list in list.ts. */
import { email, strongSecret } from "../values/checks.ts";
import { secret, text } from "../values/setting.ts";

export const accessKeys = {
  engineAccessKey: secret({
    argument: "engine.accessKey",
    environment: "ENGINE_ACCESS_KEY",
    meaning: "Master key of the engine (`X-Engine-Access-Key`): full access.",
    ...strongSecret(32),
  }),
  serviceApiKey: secret({
    argument: "authSidecar.serviceApiKey",
    environment: "SERVICE_API_KEY",
    meaning: "Service key of the session endpoints (`x-service-api-key`).",
    ...strongSecret(32),
  }),
} as const;

export const firstOperator = {
  adminEmail: text({
    argument: "authSidecar.adminEmail",
    environment: "ADMIN_EMAIL",
    default: "admin@example.net",
    meaning: "E-mail address of the first operator, created if there is no user.",
    ...email,
  }),
  adminPassword: secret({
    argument: "authSidecar.adminPassword",
    environment: "ADMIN_PASSWORD",
    meaning: "First password of that operator. To change it later: `npm run users -- password`.",
    ...strongSecret(12),
  }),
} as const;
