/** Additions of an image built here to the official one: the owner of its files, and this project's scripts, delivered as files. */
import { readFileSync } from "node:fs";
import { filesDirectory, officialUser } from "../description/service.ts";
import type { ServiceDescription, ServiceName } from "../description/service.ts";

const images = new URL("../../images/", import.meta.url);
const text = (path: string): string => readFileSync(new URL(path, images), "utf8");
const path = (name: string): string => `${filesDirectory}/start/${name}`;

const differences: Partial<Record<ServiceName, (service: ServiceDescription) => ServiceDescription>> = {
  database: (service) => ({
    ...service,
    user: officialUser,
    entrypoint: ["bash", path("entrypoint.sh")],
    files: { ...service.files, "start/entrypoint.sh": text("database/entrypoint.sh") },
  }),
  sessions: (service) => ({
    ...service,
    user: officialUser,
    entrypoint: ["bash", path("entrypoint.sh")],
    environment: { ...service.environment, VALKEY_CONFIGURATION: path("valkey.conf"), VALKEY_USERS: path("users.sh") },
    files: {
      ...service.files,
      "start/entrypoint.sh": text("sessions/entrypoint.sh"),
      "start/healthy.sh": text("sessions/healthy.sh"),
      "start/users.sh": text("sessions/users.sh"),
      "start/valkey.conf": text("sessions/valkey.conf"),
    },
    health: { kind: "command", command: ["bash", path("healthy.sh")] },
  }),
  gateway: (service) => ({
    ...service,
    entrypoint: ["sh"],
    command: [`${filesDirectory}/nginx/start.sh`],
    files: { ...service.files, "start/healthy.sh": text("gateway/healthy.sh") },
    health: { kind: "command", command: ["bash", path("healthy.sh")] },
  }),
};

/** A description for the official image of its service, if there is one. */
export function onOfficialImage(service: ServiceDescription): ServiceDescription {
  return differences[service.name]?.(service) ?? service;
}
