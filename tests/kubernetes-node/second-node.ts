import type { ChildProcess } from "node:child_process";
import type { NodeAccess } from "./access.ts";
import { dnsImage, pauseImage, secondLayoutOf, secondNodeName } from "./layout.ts";
import { ended, launch, started } from "./launch.ts";

/** A second node of a cluster, with its own containerd, kubelet, network namespace and pod addresses. */
export class SecondNode implements AsyncDisposable {
  readonly address: string;
  readonly #launcher: ChildProcess;
  readonly #first: NodeAccess;

  private constructor(first: NodeAccess, launcher: ChildProcess, address: string) {
    this.#first = first;
    this.#launcher = launcher;
    this.address = address;
  }

  /** @param images images of this machine's Docker daemon for its pods */
  static async join(first: NodeAccess, images: readonly string[]): Promise<SecondNode> {
    const { layout, binaries, address, process } = first;
    const launcher = launch(layout.folder, binaries, { folder: layout.folder, address, process });
    const second = new SecondNode(first, launcher, (await started(launcher)).address);
    try {
      await first.loadImages([pauseImage, dnsImage, ...images], secondLayoutOf(layout.folder));
      for (const state of ["create", "condition=Ready"])
        await first.kubectl(["wait", `node/${secondNodeName}`, `--for=${state}`, "--timeout=120s"]);
      return second;
    } catch (error) {
      await second[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Removes the node and its remains; its pods must have moved before. */
  async [Symbol.asyncDispose](): Promise<void> {
    await ended(this.#launcher);
    await this.#first.kubectl(["delete", "node", secondNodeName, "--ignore-not-found"]);
  }
}
