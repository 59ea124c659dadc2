/** Firewalls of this host that published ports pass, because the Docker daemon's own rules come first. */
import { readText } from "@routeql/contract/written-text";
import { runToEnd } from "@routeql/host/process";

/** Whether ufw starts with the host: its service is active also when it filters nothing. @param configuration text of /etc/ufw/ufw.conf */
export const enablesUfw = (configuration: string): boolean => /^\s*ENABLED\s*=\s*"?yes"?\s*$/im.test(configuration);

/** Empty without ufw. */
function ufwConfiguration(): string {
  try {
    return readText("/etc/ufw/ufw.conf");
  } catch {
    return "";
  }
}

async function isActive(service: string): Promise<boolean> {
  const result = await runToEnd("systemctl", ["is-active", "--quiet", service], { timeoutMilliseconds: 5_000 }).catch(
    () => undefined,
  );
  return result?.code === 0;
}

/** The active firewalls of a Linux host, for its status. */
export async function hostFirewalls(): Promise<readonly string[]> {
  if (process.platform !== "linux") return [];
  return [...(enablesUfw(ufwConfiguration()) ? ["ufw"] : []), ...((await isActive("firewalld")) ? ["firewalld"] : [])];
}
