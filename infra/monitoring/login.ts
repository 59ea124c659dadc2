/** The login of Prometheus and Alertmanager, which have one user. */
import { createHash } from "node:crypto";
import { encodeBase64, hashSync } from "bcryptjs";
import { stringify } from "yaml";
import type { SecretName } from "../description/secrets.ts";

export const monitoringUser = "routeql";

export const monitoringPassword: SecretName = "monitoring-password";

/** Work factor of the hash. The password has 256 random bits, so a slow hash would only help who floods the login. */
const cost = 5;

/**
 * Content of the file of `--web.config.file`. The salt follows from the password: another one would restart the services in each update.
 * @param password 256 random bits in letters and digits
 */
export function webConfiguration(password: string): string {
  const salt = encodeBase64(createHash("sha256").update(`salt of ${password}`).digest().subarray(0, 16), 16);
  const hash = hashSync(password, `$2b$${String(cost).padStart(2, "0")}$${salt}`);
  return stringify({ basic_auth_users: { [monitoringUser]: hash } });
}

/** The login of a client of both, in Prometheus' form. @param passwordFile path of the password in the client's container */
export const basicLogin = (passwordFile: string) => ({ username: monitoringUser, password_file: passwordFile });
