import type { Output } from "@pulumi/pulumi";

/** Every secret that a service can be given, by the name of its file. */
export const secretNames = [
  "engine-access-key",
  "service-api-key",
  "admin-password",
  "key-encryption-key",
  "bootstrap-password",
  "owner-password",
  "engine-password",
  "sidecar-password",
  "loader-password",
  "backup-password",
  "sessions-password",
  "engine-database-url",
  "sidecar-database-url",
  "sessions-url",
  "tls-private-key",
] as const;

export type SecretName = (typeof secretNames)[number];

/** The values; each is a Pulumi secret to its last use. */
export type Secrets = Readonly<Record<SecretName, Output<string>>>;
