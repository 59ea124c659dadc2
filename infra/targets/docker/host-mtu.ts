/** MTU of the Docker host's default route: on a VPN or a cloud's overlay it is below Docker's 1500, and larger packets of containers are lost. */
import { readText } from "@routeql/contract/written-text";
import { orUndefined } from "@routeql/host/docker/client";
import { daemonAddress } from "@routeql/host/docker/daemon-address";
import { daemonOfProvider } from "./provider-daemon.ts";

const dockersDefault = 1500;
/** IPv6 requires this (RFC 8200, 5). */
const least = 1280;

const option = "com.docker.network.driver.mtu";

type Read = (path: string) => string;

/** The MTU of the default route in /proc/net/route with the smallest metric; undefined without one, and for Docker's default or more. */
export function smallMtu(read: Read = readText): number | undefined {
  try {
    const routes = read("/proc/net/route")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, destination, , , , , , mask]) => destination === "00000000" && mask === "00000000")
      .toSorted((left, right) => Number(left[6]) - Number(right[6]));
    const [route] = routes;
    if (route === undefined) return undefined;
    const ofRoute = Number(route[8]);
    const mtu = ofRoute > 0 ? ofRoute : Number(read(`/sys/class/net/${route[0]}/mtu`));
    return mtu >= least && mtu < dockersDefault ? mtu : undefined;
  } catch {
    // Another kind of host, such as Docker Desktop, whose machine sets its own.
    return undefined;
  }
}

/** The option of a network that does not exist yet; an existing one keeps its own, because a change would replace it below its containers. */
export async function mtuOptions(network: string, mtu = smallMtu()): Promise<Record<string, string> | undefined> {
  const docker = daemonOfProvider();
  if (mtu === undefined || docker === undefined || !daemonAddress().endpoint.startsWith("unix:")) return undefined;
  const existing = (await orUndefined(docker.getNetwork(network).inspect())) as
    | { Options?: Record<string, string> }
    | undefined;
  const value = existing === undefined ? String(mtu) : existing.Options?.[option];
  return value === undefined ? undefined : { [option]: value };
}
