import { existsSync } from "node:fs";
import { findProgram, installPackages } from "@routeql/host/apt";
import { Failure } from "@routeql/host/failure";

/** Programs and files of a node with the Debian packages that contain them. */
const needs: Readonly<Record<string, string>> = {
  containerd: "containerd",
  ctr: "containerd",
  runc: "runc",
  "/usr/lib/cni/ptp": "containernetworking-plugins",
  nft: "nftables",
  iptables: "iptables",
  conntrack: "conntrack",
  ip: "iproute2",
  unshare: "util-linux",
  mount: "mount",
  openssl: "openssl",
};

const isPresent = async (need: string): Promise<boolean> =>
  need.startsWith("/") ? existsSync(need) : (await findProgram(need)) !== undefined;

/** Installs the missing requirements of a node. @throws Failure with the reason why no node can run on this machine */
export async function ensurePackages(onLine: (line: string) => void): Promise<void> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Failure(
      "A Kubernetes node needs Linux and root: it creates its own namespaces, control groups and mounts",
      { remedy: "run this suite as root on Linux." },
    );
  }
  const missing = new Set<string>();
  for (const [need, name] of Object.entries(needs)) if (!(await isPresent(need))) missing.add(name);
  if (missing.size > 0) await installPackages([...missing], onLine, "a Kubernetes node for the tests");
}
