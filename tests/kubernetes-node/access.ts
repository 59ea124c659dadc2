import { join } from "node:path";
import { execa } from "execa";
import { loadImages } from "./images.ts";
import { layoutOf, type NodeLayout } from "./layout.ts";

/** Access data of a running node for other processes. */
export interface NodeDescription {
  readonly folder: string;
  /** Folder of its programs. */
  readonly binaries: string;
  /** Address of the API server and NodePorts on this machine. */
  readonly address: string;
  /** First process in its namespaces, by its number on this machine. */
  readonly process: number;
}

export class NodeAccess {
  readonly address: string;
  readonly binaries: string;
  readonly layout: NodeLayout;
  readonly process: number;

  constructor({ folder, binaries, address, process }: NodeDescription) {
    this.address = address;
    this.process = process;
    this.binaries = binaries;
    this.layout = layoutOf(folder);
  }

  /** Path of a kubeconfig with all permissions. */
  get kubeconfig(): string {
    return this.layout.adminConfig;
  }

  get description(): NodeDescription {
    const { layout, binaries, address, process } = this;
    return { folder: layout.folder, binaries, address, process };
  }

  /** kubectl with all permissions; returns its output. */
  async kubectl(args: readonly string[], input = ""): Promise<string> {
    const { stdout } = await execa(join(this.binaries, "kubectl"), [`--kubeconfig=${this.kubeconfig}`, ...args], {
      input,
      timeout: 300_000,
      stripFinalNewline: false,
    });
    return stdout;
  }

  async get<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.kubectl(["get", ...args, "--output=json"])) as T;
  }

  async apply(objects: readonly object[]): Promise<void> {
    const list = { apiVersion: "v1", kind: "List", items: objects };
    await this.kubectl(["apply", "--server-side", "--filename=-"], JSON.stringify(list));
  }

  /** Copies images of this machine's Docker daemon to the node. */
  loadImages(images: readonly string[], layout = this.layout): Promise<void> {
    return loadImages(layout, images);
  }
}
