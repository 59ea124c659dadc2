import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate } from "../certificate.ts";
import { mustRun, run } from "../process.ts";

/** A simulation of Amazon's services that checks signatures, and an HTTP server that closes TLS connections as required. */
const packages = ["moto[server,s3]==5.2.5", "gunicorn==23.0.0"];
const server = `
from moto.server import DomainDispatcherApplication, create_backend_app
application = DomainDispatcherApplication(create_backend_app)
`;

/** Creates the bucket and a user; the server accepts this many calls before it checks logins. */
const openCalls = 4;
const program = `
import boto3, json, sys
address, authority = sys.argv[1:]
options = dict(endpoint_url=address, verify=authority, region_name="us-east-1", aws_access_key_id="any", aws_secret_access_key="any")
users = boto3.client("iam", **options)
users.create_user(UserName="archive")
key = users.create_access_key(UserName="archive")["AccessKey"]
rules = [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]
users.put_user_policy(UserName="archive", PolicyName="all", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": rules}))
boto3.client("s3", **options).create_bucket(Bucket="backups")
print(json.dumps({"id": key["AccessKeyId"], "key": key["SecretAccessKey"]}))
`;

async function freePort(): Promise<number> {
  const listening = createServer().listen(0);
  await once(listening, "listening");
  const { port } = listening.address() as { port: number };
  listening.close();
  return port;
}

/** An object storage with Amazon's S3 API over TLS, and with the bucket `backups`. */
export class ObjectStorage implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #undo: AsyncDisposable;
  readonly port: number;
  /** PEM of the certificate's authority. */
  readonly authority: string;
  /** The login that may use the bucket. */
  readonly login: { readonly id: string; readonly key: string };

  private constructor(
    child: ChildProcess,
    undo: AsyncDisposable,
    known: Pick<ObjectStorage, "port" | "authority" | "login">,
  ) {
    this.#process = child;
    this.#undo = undo;
    this.port = known.port;
    this.authority = known.authority;
    this.login = known.login;
  }

  /** @param host name of this machine in the certificate */
  static async start(host: string): Promise<ObjectStorage> {
    const folder = await mkdtemp(join(tmpdir(), "object-storage-"));
    await using undo = new AsyncDisposableStack();
    undo.defer(() => rm(folder, { recursive: true, force: true }));
    const file = (name: string): string => join(folder, name);
    const python = file("bin/python");
    await mustRun("python3", ["-m", "venv", folder]);
    await mustRun(python, ["-m", "pip", "install", "--quiet", ...packages]);
    const { certificate: authority, privateKey } = await makeCertificate("ecdsa", host);
    await writeFile(file("server.crt"), authority);
    await writeFile(file("server.key"), privateKey, { mode: 0o600 });
    await writeFile(file("server.py"), server);
    await writeFile(file("prepare.py"), program);
    const port = await freePort();
    const options = [
      "--bind",
      `0.0.0.0:${port}`,
      "--threads",
      "8",
      "--certfile",
      "server.crt",
      "--keyfile",
      "server.key",
    ];
    const child = spawn(python, ["-m", "gunicorn", ...options, "server:application"], {
      cwd: folder,
      detached: true,
      env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: String(openCalls), S3_IGNORE_SUBDOMAIN_BUCKETNAME: "true" },
      stdio: "ignore",
    });
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    undo.defer(async () => {
      if (hasEnded()) return;
      const ended = once(child, "exit");
      process.kill(-child.pid!, "SIGKILL");
      await ended;
    });
    while ((await run("bash", ["-c", `</dev/tcp/127.0.0.1/${port}`])).code !== 0) {
      if (hasEnded()) throw new Error(`the object storage ended with ${child.exitCode ?? child.signalCode}`);
      await sleep(200);
    }
    const printed = await mustRun(python, [file("prepare.py"), `https://localhost:${port}`, file("server.crt")]);
    return new ObjectStorage(child, undo.move(), {
      port,
      authority,
      login: JSON.parse(printed) as ObjectStorage["login"],
    });
  }

  /** Stops answering without closing connections, or continues; the server's workers too. */
  pause(paused: boolean): void {
    process.kill(-this.#process.pid!, paused ? "SIGSTOP" : "SIGCONT");
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#undo[Symbol.asyncDispose]();
  }
}
