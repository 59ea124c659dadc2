import type { ClientConfig } from "pg";
import type { DatabaseReach } from "../stack/outputs.ts";

/** Endpoint of the connection as its client sees it, and its encryption, as in the stack's services. */
export function encryption({ host, port, name, sslmode, authority }: DatabaseReach): ClientConfig {
  const place = { host, port, database: name };
  if (authority !== undefined) return { ...place, ssl: { ca: authority } };
  if (sslmode === undefined) return place;
  const parameters = new URLSearchParams({ sslmode }).toString();
  return { connectionString: `postgres://${host}:${port}/${name}?${parameters}` };
}
