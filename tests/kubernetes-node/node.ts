import type { ChildProcess } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "@routeql/host/work";
import { Failure } from "@routeql/host/failure";
import { execa } from "execa";
import { NodeAccess } from "./access.ts";
import { applyAddOns } from "./add-ons.ts";
import { kubernetesBinaries } from "./binaries.ts";
import { loadOwnImages } from "./images.ts";
import { ended, launch, started } from "./launch.ts";
import { nodeName } from "./layout.ts";
import { ensurePackages } from "./packages.ts";

/** A Kubernetes node: a whole cluster in its own namespaces, which touches neither Docker nor the network and leaves nothing. */
export class KubernetesNode implements AsyncDisposable {
  readonly access: NodeAccess;
  private readonly launcher: ChildProcess;

  private constructor(launcher: ChildProcess, access: NodeAccess) {
    this.launcher = launcher;
    this.access = access;
  }

  /** @throws Failure with the missing requirements of this machine */
  static async start(options: Omit<Work, "show">): Promise<KubernetesNode> {
    const folder = await nodeFolder();
    await ensurePackages(options.onLine);
    const binaries = await kubernetesBinaries(options);
    options.say(`starting a node in ${folder}`);
    const launcher = launch(folder, binaries);
    const node = new KubernetesNode(launcher, new NodeAccess({ folder, binaries, ...(await started(launcher)) }));
    try {
      await node.untilReady();
      return node;
    } catch (error) {
      await node[Symbol.asyncDispose]();
      throw error;
    }
  }

  private async untilReady(): Promise<void> {
    const { access } = this;
    await Promise.all([loadOwnImages(access.layout, access.binaries), this.untilApiAnswers()]);
    await applyAddOns(access);
    await access.kubectl(["wait", `node/${nodeName}`, "--for=create", "--timeout=120s"]);
    await access.kubectl(["wait", `node/${nodeName}`, "--for=condition=Ready", "--timeout=120s"]);
    await access.kubectl(["rollout", "status", "--namespace=kube-system", "deployment/coredns", "--timeout=120s"]);
  }

  private async untilApiAnswers(): Promise<void> {
    const { binaries, kubeconfig, layout } = this.access;
    const deadline = Date.now() + 180_000;
    for (;;) {
      const kubectl = join(binaries, "kubectl");
      const { failed, stdout, stderr } = await execa(
        kubectl,
        [`--kubeconfig=${kubeconfig}`, "get", "--raw", "/readyz"],
        { reject: false },
      );
      if (!failed) return;
      if (this.launcher.exitCode !== null) throw new Error(`the node has ended; its logs are in ${layout.logs}`);
      if (Date.now() > deadline) throw new Error(`the API server is not ready after 3 minutes: ${stdout}${stderr}`);
      await sleep(300);
    }
  }

  /** Stops every process of the node; its network device, control groups, mounts and files are removed with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.keepLogs();
    await ended(this.launcher);
    await rm(this.access.layout.folder, { recursive: true, force: true });
  }

  /** The logs of the stack's pods, in the run's folder for logs. A broken node may have none. */
  async keepPodLogs(): Promise<void> {
    const folder = process.env["ROUTEQL_TEST_LOGS"];
    if (folder === undefined) return;
    const { binaries, kubeconfig } = this.access;
    const target = join(folder, "kubernetes-pods");
    await execa(
      join(binaries, "kubectl"),
      [`--kubeconfig=${kubeconfig}`, "cluster-info", "dump", "--all-namespaces", `--output-directory=${target}`],
      { reject: false, timeout: 60_000 },
    );
  }

  /** The logs of the node's programs, in the run's folder for logs. */
  private async keepLogs(): Promise<void> {
    const folder = process.env["ROUTEQL_TEST_LOGS"];
    if (folder !== undefined)
      await cp(this.access.layout.logs, join(folder, "kubernetes-node"), { recursive: true, force: true });
  }
}

/** The kubelet's sockets add 35 bytes to the folder's path, and a socket's path has at most 107 bytes (unix(7)). */
const longestPath = 72;

async function nodeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rq-node-"));
  if (folder.length <= longestPath) return folder;
  await rm(folder, { recursive: true });
  throw new Failure(`The path ${folder} is too long for the sockets of a Kubernetes node`, {
    remedy: "set TMPDIR to a folder with a shorter path, such as /tmp.",
  });
}
