/**
 * Network settings of this machine for builds: its proxies, and the certificate authorities that it trusts besides the public ones.
 * @module
 */
import { readFileSync } from "node:fs";

const variables = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] as const;

/** Build arguments that Docker predefines: build steps receive them, and the image does not store them. */
export function proxyArguments(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(variables.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

/** Name of the file with the authorities in the build context. */
export const authoritiesFile = ".routeql-authorities.crt";
const inImage = "/usr/local/share/ca-certificates/build-machine.crt";

/** The certificate authorities that are configured for Node and npm on this machine. */
export function extraAuthorities(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const file = environment["NODE_EXTRA_CA_CERTS"] || environment["npm_config_cafile"];
  return file ? readFileSync(file, "utf8") : undefined;
}

/** The Dockerfile with these authorities in each named stage; such stages install packages and are not in the final image. */
export function withAuthorities(dockerfile: string): string {
  return dockerfile.replaceAll(
    /^FROM \S+ AS \S+$/gm,
    (line) => `${line}\nCOPY ${authoritiesFile} ${inImage}\nENV NODE_EXTRA_CA_CERTS=${inImage}`,
  );
}
