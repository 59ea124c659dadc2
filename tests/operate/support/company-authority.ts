import { readFile } from "node:fs/promises";
import { mustRun } from "../../harness/process.ts";

async function sign(folder: string, name: string, issuer: string, ...extensions: readonly string[]): Promise<void> {
  const options = `-x509 -days 60 -subj /CN=${name} -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc`.split(" ");
  const by = issuer === "" ? [] : ["-CA", `${issuer}.pem`, "-CAkey", `${issuer}.key`];
  const added = extensions.flatMap((extension) => ["-addext", extension]);
  const files = ["-keyout", `${name}.key`, "-out", `${name}.pem`];
  await mustRun("openssl", ["req", ...options, ...files, ...by, ...added], { cwd: folder });
}

/** Creates the authority of a company in a folder: root.pem, and an intermediate that signs the certificates of servers. */
export async function createAuthority(folder: string): Promise<void> {
  await sign(folder, "root", "", "basicConstraints=critical,CA:TRUE");
  await sign(folder, "intermediate", "root", "basicConstraints=critical,CA:TRUE");
}

/** PEM of a new certificate with the intermediate, and of its key. */
export async function certify(folder: string, host: string): Promise<readonly [chain: string, key: string]> {
  await sign(folder, "server", "intermediate", "basicConstraints=critical,CA:FALSE", `subjectAltName=DNS:${host}`);
  const read = (file: string): Promise<string> => readFile(`${folder}/${file}`, "utf8");
  return [(await read("server.pem")) + (await read("intermediate.pem")), await read("server.key")];
}
