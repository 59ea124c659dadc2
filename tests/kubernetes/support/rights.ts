import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { node } from "./node.ts";

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/**
 * Grants a user the rights of a file in docs/operate/rights: those of a Role in one namespace, those of a ClusterRole everywhere.
 * @param subject kubectl's option, such as `--user=name` @returns the binding's name for kubectl, and the option with its namespace
 */
export async function grantRights(file: string, namespace: string, subject: string): Promise<readonly string[]> {
  const text = await readFile(new URL(`../../../docs/operate/rights/${file}`, import.meta.url), "utf8");
  const { kind, metadata } = parse(text) as Role;
  const role = kind.toLowerCase();
  const scope = kind === "Role" ? [`--namespace=${namespace}`] : [];
  await node.kubectl(["apply", ...scope, "--filename=-"], text);
  await node.kubectl(["create", `${role}binding`, metadata.name, `--${role}=${metadata.name}`, subject, ...scope]);
  return [`${role}binding/${metadata.name}`, ...scope];
}

/** Until the end of `await using`, programs of this process use an account with exactly the rights of a file in docs/operate/rights. */
export async function actWithRights(file: string, namespace: string): Promise<AsyncDisposable> {
  const account = `only-${file.replace(".yaml", "")}`;
  const everything = process.env["KUBECONFIG"]!;
  const folder = await mkdtemp(join(tmpdir(), "routeql-rights-"));
  // The account outlives the stack's namespace.
  const home = "--namespace=default";
  await node.kubectl(["create", "serviceaccount", account, home]);
  const binding = await grantRights(file, namespace, `--serviceaccount=default:${account}`);
  const token = await node.kubectl(["create", "token", account, home, "--duration=2h"]);
  const config = JSON.parse(await node.kubectl(["config", "view", "--raw", "--minify", "--output=json"])) as {
    readonly users: readonly { readonly name: string }[];
  };
  const users = config.users.map(({ name }) => ({ name, user: { token: token.trim() } }));
  await writeFile(join(folder, "kubeconfig"), JSON.stringify({ ...config, users }), { mode: 0o600 });
  process.env["KUBECONFIG"] = join(folder, "kubeconfig");
  return {
    async [Symbol.asyncDispose]() {
      process.env["KUBECONFIG"] = everything;
      await node.kubectl(["delete", `serviceaccount/${account}`, home]);
      await node.kubectl(["delete", ...binding, "--ignore-not-found"]);
      await rm(folder, { recursive: true });
    },
  };
}
