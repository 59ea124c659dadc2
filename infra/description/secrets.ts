import type { Output } from "@pulumi/pulumi";

/** Secrets of every deployment, by the name of their file. */
export const secretNames = [
  "engine-access-key",
  "previous-engine-access-key",
  "engine-upstream-key",
  "gateway-key",
  "gateway-key-header",
  "service-api-key",
  "previous-service-api-key",
  "admin-password",
  "key-encryption-key",
  "previous-key-encryption-key",
  "bootstrap-password",
  "previous-bootstrap-password",
  "owner-password",
  "engine-password",
  "sidecar-password",
  "loader-password",
  "backup-password",
  "metadata-password",
  "sessions-login",
  "sessions-monitor-password",
  "sessions-monitor-login",
  "engine-database-url",
  "engine-primary-database-url",
  "sidecar-database-url",
  "metadata-database-url",
  "sessions-url",
  "tls-private-key",
] as const;

export const optionalSecretNames = [
  "ldap-bind-password",
  "archive-key",
  "storage-key-id",
  "storage-key",
  "bootstrap-database-url",
  "monitor-password",
  "feed-password",
  "feed-database-url",
  "monitoring-password",
  "monitoring-web-configuration",
  "alert-webhook-url",
  "alert-watchdog-url",
  "alert-smtp-password",
] as const;

export type OptionalSecretName = (typeof optionalSecretNames)[number];

export type SecretName = (typeof secretNames)[number] | OptionalSecretName;

/** The values; each stays a Pulumi secret. */
export type Secrets = Readonly<
  Record<(typeof secretNames)[number], Output<string>> & Partial<Record<OptionalSecretName, Output<string>>>
>;
