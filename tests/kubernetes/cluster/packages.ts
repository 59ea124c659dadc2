import { access } from "node:fs/promises";
import { findProgram, installPackages } from "@routeql/host/apt";
import { Failure } from "@routeql/host/failure";

/** What a node needs of Debian: a program or a file by which it is known, and the package that has it. */
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
];

async function present({ program, file }: (typeof needs)[number]): Promise<boolean> {
  if (program !== undefined) return (await findProgram(program)) !== undefined;
  return access(file!).then(
    () => true,
    () => false,
  );
}

/**
 * Installs what is missing for a node.
 * @throws Failure saying why no node can run on this machine
 */
export async function ensurePackages(onLine: (line: string) => void): Promise<void> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Failure("A Kubernetes node needs Linux and root: it makes namespaces, control groups and mounts of its own", {
      remedy: "run this suite as root on Linux.",
    });
  }
  const missing = new Set<string>();
  for (const need of needs) if (!(await present(need))) missing.add(need.package);
  if (missing.size > 0) await installPackages([...missing], onLine, "a Kubernetes node for the tests");
}
