import type { Input } from "@pulumi/pulumi";
import type { Settings } from "../settings/list.ts";
import { databaseAuthorityFile } from "./database-place.ts";
import { filesDirectory } from "../description/service.ts";
import type { OutsideName, ServiceDescription, ServiceName } from "../description/service.ts";
import type { Surroundings } from "../description/surroundings.ts";

/** Turns calls to a service of the stack into external calls without a start dependency. */
function callOutside(service: ServiceDescription, part: ServiceName & OutsideName): ServiceDescription {
  if (!service.calls.includes(part)) return service;
  return {
    ...service,
    calls: service.calls.filter((callee) => callee !== part),
    callsOutside: [...(service.callsOutside ?? []), part],
    after: service.after.filter((earlier) => earlier !== part),
  };
}

function withAuthority(service: ServiceDescription, authority: Input<string> | undefined): ServiceDescription {
  if (authority === undefined || !service.calls.includes("database")) return service;
  return { ...service, files: { ...service.files, [databaseAuthorityFile]: authority } };
}

const sessionsAuthorityFile = "sessions/ca.pem";

function withSessionsAuthority(service: ServiceDescription, authority: Input<string> | undefined): ServiceDescription {
  if (authority === undefined || !service.calls.includes("sessions")) return service;
  const environment = { ...service.environment, SESSIONS_CA_FILE: `${filesDirectory}/${sessionsAuthorityFile}` };
  return { ...service, environment, files: { ...service.files, [sessionsAuthorityFile]: authority } };
}

/** Removes services that the stack does not run itself; calls to them become external. A database cluster stays a callee. */
export function placeParts(
  services: readonly ServiceDescription[],
  { database, sessions }: Pick<Settings, "database" | "sessions">,
  { databaseAuthority, sessionsAuthority }: Pick<Surroundings, "databaseAuthority" | "sessionsAuthority">,
): readonly ServiceDescription[] {
  let placed = services;
  if (database !== "single") placed = placed.filter(({ name }) => name !== "database");
  if (database === "external")
    placed = placed.map((service) => callOutside(withAuthority(service, databaseAuthority), "database"));
  if (sessions === "external") {
    placed = placed
      .filter(({ name }) => name !== "sessions")
      .map((service) => callOutside(withSessionsAuthority(service, sessionsAuthority), "sessions"));
  }
  return placed;
}
