/** Selects the Docker daemon as the `docker` command does, else the usual sockets of rootless Docker and Docker Desktop. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Failure } from "../failure.ts";

export interface DaemonAddress {
  /** `unix:///var/run/docker.sock`, `tcp://host:2376` */
  readonly endpoint: string;
  /** Source of the address, for messages: `DOCKER_HOST`, `the Docker context colima`. */
  readonly origin: string;
  /** Undefined for an unencrypted connection. */
  readonly tls?: { readonly folder: string | undefined; readonly verifies: boolean } | undefined;
}

interface ContextFile {
  readonly Endpoints?: { readonly docker?: { readonly Host?: string; readonly SkipTLSVerify?: boolean } };
}

const standardSocket = "/var/run/docker.sock";
/** No setting selects the daemon: it is the one of this machine, which may be installed and started. */
export const standardOrigin = "the standard socket";

/** Undefined for a file that is missing or not JSON, like the docker command. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Sockets of daemons that run as the user, or in a virtual machine. */
function otherSockets(
  environment: NodeJS.ProcessEnv,
  home: string,
): readonly (readonly [path: string, what: string])[] {
  const runtime = environment["XDG_RUNTIME_DIR"] ?? `/run/user/${process.getuid?.() ?? 0}`;
  return [
    [join(runtime, "docker.sock"), "the socket of rootless Docker"],
    [join(home, ".docker/run/docker.sock"), "the socket of Docker Desktop"],
    [join(home, ".docker/desktop/docker.sock"), "the socket of Docker Desktop"],
  ];
}

/** The address of a named context. @throws Failure when the context does not exist */
function addressOfContext(name: string, folder: string, namedBy: string): DaemonAddress {
  const id = createHash("sha256").update(name).digest("hex");
  const docker = (readJson(join(folder, "contexts/meta", id, "meta.json")) as ContextFile | undefined)?.Endpoints
    ?.docker;
  if (docker?.Host === undefined) {
    throw new Failure(`The Docker context ${name}, set in ${namedBy}, does not exist`, {
      remedy: "choose one of `docker context ls` (docker context use NAME), or set DOCKER_HOST.",
    });
  }
  const certificates = join(folder, "contexts/tls", id, "docker");
  const hasFiles = existsSync(certificates);
  const verifies = docker.SkipTLSVerify !== true;
  const tls = hasFiles || !verifies ? { folder: hasFiles ? certificates : undefined, verifies } : undefined;
  return { endpoint: docker.Host, origin: `the Docker context ${name} (${namedBy})`, tls };
}

/** Finds the daemon like `docker`: DOCKER_HOST, DOCKER_CONTEXT, the current context, the socket. @throws Failure */
export function daemonAddress(
  environment: NodeJS.ProcessEnv = process.env,
  home: string = environment["HOME"] ?? homedir(),
  exists = existsSync as (path: string) => boolean,
): DaemonAddress {
  const found = find(environment, home, exists);
  const [protocol = "", place = ""] = found.endpoint.split("://");
  if (protocol === "unix" && place.startsWith("/")) return found;
  if (/^(tcp|https?)$/.test(protocol) && URL.canParse(found.endpoint.replace(/^tcp/, "http")) && !/^[./~]/.test(place))
    return found;
  if (/^(unix|tcp|https?)$/.test(protocol))
    throw new Failure(`${found.origin} names the daemon ${found.endpoint}, which is no address`, {
      remedy: "write the path of a socket as unix:///run/user/1000/docker.sock, or a host as tcp://host:2376.",
    });
  throw new Failure(`${found.origin} names the daemon ${found.endpoint}, and only unix:// and tcp:// are supported`, {
    remedy:
      protocol === "ssh"
        ? "forward its socket and use that one: ssh -nNT -L /tmp/docker.sock:/var/run/docker.sock HOST, DOCKER_HOST=unix:///tmp/docker.sock."
        : protocol === "npipe"
          ? "run this command inside WSL2, with the daemon's WSL integration enabled."
          : "write the path of its socket as unix:///var/run/docker.sock, or a host as tcp://host:2376.",
  });
}

/** Absolute paths are sockets, names and `host:port` are hosts. Other texts stay, and are refused. */
function withScheme(host: string): string {
  if (host.startsWith("/")) return `unix://${host}`;
  const isHost = /^[^/.~][^/]*\/?$|^[^/]+:\d+\//.test(host);
  return isHost && !host.includes("://") ? `tcp://${host}` : host;
}

function find(environment: NodeJS.ProcessEnv, home: string, exists: (path: string) => boolean): DaemonAddress {
  const {
    DOCKER_HOST: written,
    DOCKER_CONTEXT: context,
    DOCKER_CERT_PATH: certificates,
    DOCKER_TLS_VERIFY: verify,
  } = environment;
  const folder = environment["DOCKER_CONFIG"] || join(home, ".docker");
  // A variable of a file with Windows line ends.
  const host = written?.trim();
  if (host) {
    const tls = certificates || verify ? { folder: certificates || folder, verifies: Boolean(verify) } : undefined;
    return { endpoint: withScheme(host), origin: "DOCKER_HOST", tls };
  }
  if (context && context !== "default") return addressOfContext(context, folder, "DOCKER_CONTEXT");
  if (!context) {
    const current = (readJson(join(folder, "config.json")) as { readonly currentContext?: string } | undefined)
      ?.currentContext;
    if (current && current !== "default")
      return addressOfContext(current, folder, `currentContext in ${join(folder, "config.json")}`);
  }
  const standard: DaemonAddress = { endpoint: `unix://${standardSocket}`, origin: standardOrigin };
  if (exists(standardSocket)) return standard;
  const other = otherSockets(environment, home).find(([path]) => exists(path));
  return other === undefined ? standard : { ...standard, endpoint: `unix://${other[0]}`, origin: other[1] };
}

/** Path of the socket; undefined for a daemon on the network. */
export const socketOf = ({ endpoint }: DaemonAddress): string | undefined =>
  endpoint.startsWith("unix://") ? endpoint.slice("unix://".length) : undefined;

/** Variables with which other programs (the docker command, Pulumi's own provider, Testcontainers) use the same daemon. */
export function daemonEnvironment(address: DaemonAddress = daemonAddress()): Record<string, string> {
  const { endpoint, tls } = address;
  return {
    DOCKER_HOST: endpoint,
    ...(tls === undefined ? {} : { DOCKER_CERT_PATH: tls.folder ?? "", DOCKER_TLS_VERIFY: tls.verifies ? "1" : "" }),
  };
}
