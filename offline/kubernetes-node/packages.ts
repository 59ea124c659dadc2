import { access } from "node:fs/promises";
import { findProgram, installPackages } from "@routeql/host/apt";
import { Failure } from "@routeql/host/failure";

/** Requirements of a node from Debian: a program or a file that identifies a package, and the package. */
const needs: readonly { readonly program?: string; readonly file?: string; readonly package: string }[] = [
  { program: "containerd", package: "containerd" },
  { program: "ctr", package: "containerd" },
  { program: "runc", package: "runc" },
  { file: "/usr/lib/cni/ptp", package: "containernetworking-plugins" },
  { program: "nft", package: "nftables" },
  { program: "iptables", package: "iptables" },
  { program: "conntrack", package: "conntrack" },
  { program: "ip", package: "iproute2" },
  { program: "unshare", package: "util-linux" },
  { program: "mount", package: "mount" },
  { program: "openssl", package: "openssl" },
];

async function present({ program, file }: (typeof needs)[number]): Promise<boolean> {
  if (program !== undefined) return (await findProgram(program)) !== undefined;
  return access(file!).then(
    () => true,
    () => false,
  );
}

/**
 * Installs the missing requirements of a node.
 * @throws Failure with the reason why no node can run on this machine
 */
export async function ensurePackages(onLine: (line: string) => void): Promise<void> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Failure(
      "A Kubernetes node needs Linux and root: it creates its own namespaces, control groups and mounts",
      { remedy: "run this suite as root on Linux." },
    );
  }
  const missing = new Set<string>();
  for (const need of needs) if (!(await present(need))) missing.add(need.package);
  if (missing.size > 0) await installPackages([...missing], onLine, "a Kubernetes node for the tests");
}
