import { spawn, type ChildProcess } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { mustRun, run } from "../../harness/process.ts";
import { addOns } from "./add-ons.ts";
import { type BuildOptions, kubernetesBinaries } from "./binaries.ts";
import { loadImages, loadOwnImages } from "./images.ts";
import { layoutOf, type NodeLayout, nodeName } from "./layout.ts";
import { ensurePackages } from "./packages.ts";

/** What launcher.ts says. */
interface Message {
  readonly address?: string;
  readonly failed?: string;
  readonly lastWords?: readonly string[];
}

/**
 * A Kubernetes node of this machine's own: a whole cluster with real programs, in namespaces of its own, so that neither Docker nor
 * the machine's network is touched, and with nothing left when it ends, however that comes about.
 * `await using node = await KubernetesNode.start(options)`.
 */
export class KubernetesNode implements AsyncDisposable {
  /** Where the API server and NodePorts answer, from this machine. */
  readonly address: string;
  readonly layout: NodeLayout;
  private readonly binaries: string;
  private readonly launcher: ChildProcess;

  private constructor(launcher: ChildProcess, layout: NodeLayout, binaries: string, address: string) {
    this.launcher = launcher;
    this.layout = layout;
    this.binaries = binaries;
    this.address = address;
  }

  /** Kubeconfig with all rights. */
  get kubeconfig(): string {
    return this.layout.adminConfig;
  }

  /** @throws Failure saying what this machine lacks */
  static async start(options: BuildOptions): Promise<KubernetesNode> {
    await ensurePackages(options.onLine);
    const binaries = await kubernetesBinaries(options);
    const folder = await mkdtemp(join(tmpdir(), "rq-node-"));
    const layout = layoutOf(folder);
    options.say(`starting a node in ${folder}`);
    const launcher = spawn(process.execPath, [join(import.meta.dirname, "launcher.ts"), folder, binaries], {
      stdio: ["pipe", "pipe", "inherit"],
      // An interrupt at the terminal reaches it through this process only, by the end of its standard input.
      detached: true,
    });
    const node = new KubernetesNode(launcher, layout, binaries, await startedAddress(launcher));
    try {
      await node.untilReady();
      return node;
    } catch (error) {
      await node[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** kubectl with all rights; gives what it prints. */
  kubectl(args: readonly string[], input?: string): Promise<string> {
    return mustRun(join(this.binaries, "kubectl"), [`--kubeconfig=${this.kubeconfig}`, ...args], { input, timeout: 300_000 });
  }

  /** Server-side apply of objects. */
  async apply(objects: readonly object[]): Promise<void> {
    const list = { apiVersion: "v1", kind: "List", items: objects };
    await this.kubectl(["apply", "--server-side", "--filename=-"], JSON.stringify(list));
  }

  loadImages(images: readonly string[]): Promise<void> {
    return loadImages(this.layout, images);
  }

  private async untilReady(): Promise<void> {
    const images = loadOwnImages(this.layout, this.binaries);
    await Promise.all([images, this.untilApiAnswers()]);
    await this.apply(await addOns(this.layout));
    await this.kubectl(["wait", `node/${nodeName}`, "--for=create", "--timeout=120s"]);
    await this.kubectl(["wait", `node/${nodeName}`, "--for=condition=Ready", "--timeout=120s"]);
    await this.kubectl(["rollout", "status", "--namespace=kube-system", "deployment/coredns", "--timeout=120s"]);
  }

  private async untilApiAnswers(): Promise<void> {
    const deadline = Date.now() + 180_000;
    for (;;) {
      const { code, stdout, stderr } = await run(join(this.binaries, "kubectl"), [`--kubeconfig=${this.kubeconfig}`, "get", "--raw", "/readyz"]);
      if (code === 0) return;
      if (this.launcher.exitCode !== null) throw new Error(`the node has ended; its logs are in ${this.layout.logs}`);
      if (Date.now() > deadline) throw new Error(`the API server is not ready after 3 minutes: ${stdout}${stderr}`);
      await sleep(300);
    }
  }

  /** Ends every process of the node; its network device, control groups, mounts and files go with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.keepLogs();
    const ended = new Promise((resolve) => this.launcher.once("close", resolve));
    const hasEnded = this.launcher.exitCode !== null || this.launcher.signalCode !== null;
    this.launcher.stdin?.end();
    if (!hasEnded) await ended;
    await rm(this.layout.folder, { recursive: true, force: true });
  }

  /** The logs of the node's programs, in the folder that the run names for logs. */
  private async keepLogs(): Promise<void> {
    const folder = process.env["ROUTEQL_TEST_LOGS"];
    if (folder !== undefined) await cp(this.layout.logs, join(folder, "kubernetes-node"), { recursive: true, force: true });
  }
}

async function startedAddress(launcher: ChildProcess): Promise<string> {
  for await (const line of createInterface(launcher.stdout!)) {
    const { address, failed, lastWords = [] } = JSON.parse(line) as Message;
    if (address !== undefined) return address;
    throw new Error(`${failed}\n${lastWords.join("\n")}\n${await tails(lastWords)}`);
  }
  throw new Error("the node could not be started; what it said stands above");
}

/** The last lines of the log that a message of init.ts names. */
async function tails(lines: readonly string[]): Promise<string> {
  const file = lines.map((line) => /its log is (\S+)/.exec(line)?.[1]).find((path) => path !== undefined);
  const text = file === undefined ? "" : await readFile(file, "utf8").catch(() => "");
  return text.split("\n").slice(-20).join("\n");
}
