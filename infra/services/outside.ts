import { derive } from "../inputs.ts";
import { hostEntriesOf } from "../settings/values/host-entries.ts";
import type { Settings } from "../settings/list.ts";
import { filesDirectory, type ServiceDescription } from "../description/service.ts";
import type { Surroundings } from "../description/surroundings.ts";

const authoritiesFile = "authorities/own.pem";

/** Node's variable, and that of OpenSSL and Go. Both add to the public authorities, because those are in a directory too. */
const variables = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

/** Adds own host names and authorities to every service with an external call, so that no connection needs a setting of its own. */
export function withOwnNames(
  services: readonly ServiceDescription[],
  { extraHosts }: Pick<Settings, "extraHosts">,
  { ownAuthorities }: Pick<Surroundings, "ownAuthorities">,
): readonly ServiceDescription[] {
  const hosts = extraHosts === undefined ? {} : { hosts: derive(extraHosts, hostEntriesOf) };
  return services.map((service) => {
    if ((service.callsOutside ?? []).length === 0) return service;
    if (ownAuthorities === undefined) return { ...service, ...hosts };
    const paths = variables.map((name) => [name, `${filesDirectory}/${authoritiesFile}`]);
    return {
      ...service,
      ...hosts,
      environment: { ...service.environment, ...Object.fromEntries(paths) },
      files: { ...service.files, [authoritiesFile]: ownAuthorities },
    };
  });
}
