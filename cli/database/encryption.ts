import type { ClientConfig } from "pg";
import type { DatabaseReach } from "../stack/outputs.ts";

/** Where the connection seems to lead and how it is encrypted, as the parts of the stack do it. */
export function encryption({ host, port, name, sslmode, authority }: DatabaseReach): ClientConfig {
  const place = { host, port, database: name };
  if (authority !== undefined) return { ...place, ssl: { ca: authority } };
  if (sslmode === undefined) return place;
  const parameters = new URLSearchParams({ sslmode }).toString();
  return { connectionString: `postgres://${host}:${port}/${name}?${parameters}` };
}
