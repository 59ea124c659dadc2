import { copyFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { execa } from "execa";

/** Owner of a certificate: Kubernetes reads the user from CN and the groups from O (authentication by X509 client certificates). */
export interface Subject {
  readonly name: string;
  readonly group?: string;
  /** Names and addresses of a server. */
  readonly hosts?: readonly string[];
}

const newKey = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];

/** The authority of one cluster. It writes `<name>.crt` and `<name>.key` (PEM) into a folder; all certificates expire after two days. */
export class ClusterAuthority {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the pair `ca`. */
  static async make(folder: string): Promise<ClusterAuthority> {
    const authority = new ClusterAuthority(folder);
    await authority.#request("ca", "/CN=routeql-test-cluster", []);
    return authority;
  }

  /** The authority of another folder, for certificates in this one. */
  static async copy(from: string, folder: string): Promise<ClusterAuthority> {
    for (const file of ["ca.crt", "ca.key"]) await copyFile(join(from, file), join(folder, file));
    return new ClusterAuthority(folder);
  }

  /** Creates a key and a certificate for a client and a server. */
  async issue(file: string, { name, group, hosts = [] }: Subject): Promise<void> {
    const names = hosts.map((host) => `${isIP(host) ? "IP" : "DNS"}:${host}`);
    const extensions = [
      "basicConstraints=critical,CA:FALSE",
      "extendedKeyUsage=clientAuth,serverAuth",
      ...(names.length > 0 ? [`subjectAltName=${names.join(",")}`] : []),
    ].flatMap((extension) => ["-addext", extension]);
    const signedBy = ["-CA", join(this.#folder, "ca.crt"), "-CAkey", join(this.#folder, "ca.key")];
    await this.#request(file, `${group === undefined ? "" : `/O=${group}`}/CN=${name}`, [...signedBy, ...extensions]);
  }

  async #request(file: string, subject: string, options: readonly string[]): Promise<void> {
    const [key, certificate] = ["key", "crt"].map((kind) => join(this.#folder, `${file}.${kind}`)) as [string, string];
    await execa("openssl", ["req", ...newKey, "-subj", subject, "-keyout", key, "-out", certificate, ...options]);
  }
}
