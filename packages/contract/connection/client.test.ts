import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates, TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { certificatesOf, pemOf } from "../pem.ts";
import { clientConfig, encryptionConfig, LibpqClient } from "./client.ts";
import { readConnection } from "./connection.ts";

const [certificate = ""] = rootCertificates;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-authority-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const configFor = (content: string) => {
  const sslrootcert = join(folder, "root.crt");
  writeFileSync(sslrootcert, content);
  return encryptionConfig({ sslmode: "verify-full", sslrootcert });
};

test("takes only the certificates from the file of sslrootcert, without marks of an editor", () => {
  const ca = pemOf(certificatesOf(certificate));
  expect(configFor(`\uFEFF${certificate.replaceAll("\n", "\r\n")}`).ssl).toMatchObject({ ca });
});

test("refuses a file of sslrootcert without a certificate, as libpq does", () => {
  expect(() => configFor("none\n")).toThrow("the file of sslrootcert has no block CERTIFICATE");
});

test("uses the authority in the user's home, if there is a home", () => {
  const none = () => {
    throw Object.assign(new Error("uv_os_homedir returned ENOENT"), { code: "ERR_SYSTEM_ERROR" });
  };
  expect(encryptionConfig({ sslmode: "require" }, undefined, none).ssl).toMatchObject({ rejectUnauthorized: false });
  expect(encryptionConfig({}, undefined, () => join(folder, "none")).ssl).toMatchObject({ rejectUnauthorized: false });
  mkdirSync(join(folder, ".postgresql"));
  writeFileSync(join(folder, ".postgresql/root.crt"), certificate);
  expect(encryptionConfig({}, undefined, () => folder).ssl).toMatchObject({ rejectUnauthorized: true });
});

test("a connection that breaks without a listener does not end the process", () => {
  const client = new LibpqClient({});
  expect(() => client.emit("error", new Error("Connection terminated unexpectedly"))).not.toThrow();
});

describe("channel_binding=require", () => {
  /** A message of Postgres about the login, with its code. */
  function request(code: number, rest = ""): Buffer {
    const message = Buffer.alloc(9);
    message.write("R");
    message.writeInt32BE(8 + rest.length, 1);
    message.writeInt32BE(code, 5);
    return Buffer.concat([message, Buffer.from(rest)]);
  }
  const accepted = Buffer.concat([request(0), Buffer.from([90, 0, 0, 0, 5, 73])]);
  const bound = request(10, "SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0");

  /** A server that sends the same to each client, over TLS or without it. */
  async function login(
    answer: Buffer,
    query: string,
    { offersTls = true, kind = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"] } = {},
  ): Promise<{ failure: string; received: string }> {
    const selfSigned = ["-newkey", ...kind, "-subj", "/CN=server", "-days", "2"];
    const files = ["-keyout", join(folder, "key"), "-out", join(folder, "certificate")];
    execFileSync("openssl", ["req", "-x509", "-nodes", ...selfSigned, ...files], { stdio: "ignore" });
    const [key, cert] = ["key", "certificate"].map((name) => readFileSync(join(folder, name)));
    const received: string[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        socket.write(offersTls ? "S" : "N");
        const stream = offersTls ? new TLSSocket(socket, { isServer: true, key: key!, cert: cert! }) : socket;
        stream.on("error", () => undefined);
        stream.once("data", () => {
          stream.write(answer);
          stream.on("data", (data) => {
            received.push(data.toString("latin1"));
            stream.end();
          });
        });
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = new LibpqClient(
      clientConfig(readConnection(`postgres://app:the-password@127.0.0.1:${port}/app?${query}`)),
    );
    client.on("error", () => undefined);
    try {
      await client.connect();
      return { failure: "none", received: received.join("") };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error), received: received.join("") };
    } finally {
      await client.end().catch(() => undefined);
      server.close();
    }
  }

  test.each([
    ["asks for the password", request(3)],
    ["asks for an MD5 hash", request(5, "salt")],
    ["offers no binding", request(10, "SCRAM-SHA-256\0\0")],
    ["asks for nothing", accepted],
  ])("refuses a server that %s, and sends it nothing", async (_, answer) => {
    expect(await login(answer, "sslmode=require&channel_binding=require")).toEqual({
      failure: "the server offers no login with channel binding, and the URL has channel_binding=require",
      received: "",
    });
  });

  test("refuses a server that accepts the login before it proves its own part", async () => {
    const { failure } = await login(Buffer.concat([bound, accepted]), "sslmode=require&channel_binding=require");
    expect(failure).toContain("channel_binding=require");
  });

  test("refuses a server without TLS", async () => {
    const { failure, received } = await login(accepted, "sslmode=prefer&channel_binding=require", { offersTls: false });
    expect([failure, received]).toEqual(["the server offers no TLS, and the URL has channel_binding=require", ""]);
  });

  test.each([
    ["Ed25519", ["ed25519"]],
    ["SHA-224", ["rsa:2048", "-sha224"]],
  ])("refuses a certificate without a digest for it (%s), which is not bound otherwise", async (_, kind) => {
    const required = await login(bound, "sslmode=require&channel_binding=require", { kind });
    expect(required.failure).toContain("has no digest for channel binding, and the URL has channel_binding=require");
    expect(required.received).toBe("");
    const { received } = await login(bound, "sslmode=require", { kind });
    expect(received).toContain("SCRAM-SHA-256\0");
    expect(received).toContain("n,,n=");
  });

  test.each(["", "channel_binding=prefer", "channel_binding=disable"])("is not the default: %s", async (query) => {
    expect((await login(accepted, query)).failure).toBe("none");
  });
});
