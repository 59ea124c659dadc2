import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { node } from "./node.ts";

interface Role {
  readonly metadata: { readonly name: string };
}

/** Grants a user the rights of a role in docs/operate/rights in one namespace. @param subject kubectl's option, such as `--user=name` */
export async function grantRights(file: string, namespace: string, subject: string): Promise<void> {
  const text = await readFile(new URL(`../../../docs/operate/rights/${file}`, import.meta.url), "utf8");
  const { name } = (parse(text) as Role).metadata;
  await node.kubectl(["apply", `--namespace=${namespace}`, "--filename=-"], text);
  await node.kubectl(["create", "rolebinding", name, `--role=${name}`, subject, `--namespace=${namespace}`]);
}

const account = "deployer";

/** Until the end of `await using`, programs of this process use an account with exactly the rights of a file in docs/operate/rights. */
export async function actWithRights(file: string, namespace: string): Promise<AsyncDisposable> {
  const scope = `--namespace=${namespace}`;
  const everything = process.env["KUBECONFIG"]!;
  const folder = await mkdtemp(join(tmpdir(), "routeql-rights-"));
  await node.kubectl(["create", "serviceaccount", account, scope]);
  await grantRights(file, namespace, `--serviceaccount=${namespace}:${account}`);
  const token = await node.kubectl(["create", "token", account, scope, "--duration=2h"]);
  const config = JSON.parse(await node.kubectl(["config", "view", "--raw", "--minify", "--output=json"])) as {
    readonly users: readonly { readonly name: string }[];
  };
  const users = config.users.map(({ name }) => ({ name, user: { token: token.trim() } }));
  await writeFile(join(folder, "kubeconfig"), JSON.stringify({ ...config, users }), { mode: 0o600 });
  process.env["KUBECONFIG"] = join(folder, "kubeconfig");
  return {
    async [Symbol.asyncDispose]() {
      process.env["KUBECONFIG"] = everything;
      await node.kubectl([
        "delete",
        `serviceaccount/${account}`,
        "rolebinding/routeql-up",
        scope,
        "--ignore-not-found",
      ]);
      await rm(folder, { recursive: true });
    },
  };
}
