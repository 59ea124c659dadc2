import "reflect-metadata";
import { execFile } from "node:child_process";
import { createPrivateKey } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { ExtendedKeyUsageExtension, Extension } from "@peculiar/x509";
import { isSecret, log, output, type Output, secret } from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { SettingsError } from "../settings/reading/error.ts";
import { host, issue, type Issued, type IssueOptions, issueServer } from "../testing/certificates.ts";
import { checkedCertificate, ownCertificate } from "./own-certificate.ts";

const run = promisify(execFile);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-tls-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const textOf = (parts: readonly (Issued | string)[]): string =>
  parts.map((part) => (typeof part === "string" ? part : part.pem)).join("");

interface Given {
  readonly chain: readonly (Issued | string)[];
  readonly key: string;
  readonly authority?: Issued;
  readonly publicHost?: string;
}

function check({ chain, key, authority, publicHost = host }: Given) {
  const files = { certificateFile: join(folder, "chain.pem"), privateKeyFile: join(folder, "key.pem") };
  writeFileSync(files.certificateFile, textOf(chain));
  writeFileSync(files.privateKeyFile, key);
  return checkedCertificate({ ...files, publicHost, authority: authority?.pem });
}

function problems(given: Given): string[] {
  try {
    check(given);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map(({ name, problem, place }) => `${name} (${relative(folder, place)}) ${problem}`);
  }
  return [];
}

let root: Issued;
let mid: Issued;
let leaf: Issued;
beforeAll(async () => {
  root = await issue("Example Root");
  mid = await issue("Example Intermediate", { issuer: root });
  leaf = await issueServer({ issuer: mid });
});

describe("accepts", () => {
  test("a self-signed certificate for a name and an address, which clients then trust", async () => {
    const own = await issueServer({ names: [host, { type: "ip", value: "192.0.2.10" }] });
    expect(check({ chain: [own], key: own.keyPem }).caCertificate).toBe(own.pem);
    expect(problems({ chain: [own], key: own.keyPem, publicHost: "192.0.2.10" })).toEqual([]);
  });

  test("certificates in any order, glued or beside others, and delivers them in order", async () => {
    const other = await issue("Other Root");
    const orders = [
      [leaf, mid, root],
      [root, mid, leaf],
      [mid, leaf],
      [leaf, mid, leaf, other],
    ].concat([[leaf, mid, await issueServer({ issuer: other })]]);
    for (const chain of orders)
      expect(check({ chain, key: leaf.keyPem, authority: root })).toEqual({
        certificate: leaf.pem + mid.pem,
        privateKey: leaf.keyPem,
        caCertificate: root.pem,
      });
    const glued = [leaf.pem.trim() + mid.pem.trim()];
    expect(check({ chain: glued, key: leaf.keyPem, authority: root }).certificate).toBe(leaf.pem + mid.pem);
  });

  test("the key in the certificate's file, without delivering it as certificate", () => {
    const older = createPrivateKey(leaf.keyPem).export({ type: "sec1", format: "pem" }) as string;
    const { certificate, privateKey } = check({
      chain: [older, leaf, mid],
      key: textOf([mid, older]),
      authority: root,
    });
    expect([certificate, privateKey]).toEqual([leaf.pem + mid.pem, leaf.keyPem]);
  });

  test("the root of the file as what clients must trust", () => {
    expect(check({ chain: [leaf, mid, root], key: leaf.keyPem }).caCertificate).toBe(root.pem);
  });

  test("a chain that ends in a cross-signed root, and delivers it for clients of the old root", async () => {
    const old = await issue("Old Example Root");
    const cross = await issue(root.name, { issuer: old, keys: root.keys });
    expect(check({ chain: [leaf, mid, cross], key: leaf.keyPem, authority: root }).certificate).toBe(
      leaf.pem + mid.pem + cross.pem,
    );
    expect(problems({ chain: [leaf, mid, cross], key: leaf.keyPem, authority: old })).toEqual([]);
  });

  test("a cross-signed root that has ended or is weak, and leaves it out", async () => {
    const old = await issue("Old Example Root", { key: "rsa2048" });
    for (const options of [{ from: -9, to: -2 }, { hash: "SHA-1" }] satisfies IssueOptions[]) {
      const cross = await issue(root.name, { issuer: old, keys: root.keys, ...options });
      const made = check({ chain: [leaf, mid, cross], key: leaf.keyPem, authority: root });
      expect(made.certificate).toBe(leaf.pem + mid.pem);
    }
  });

  test("the newest of several certificates for one key", async () => {
    const ended = await issueServer({ issuer: mid, keys: leaf.keys, from: -60, to: -30 });
    const newer = await issueServer({ issuer: mid, keys: leaf.keys, to: 60 });
    expect(check({ chain: [ended, leaf, newer, mid], key: leaf.keyPem, authority: root }).certificate).toBe(
      newer.pem + mid.pem,
    );
  });

  test.each(["ROUTES.example.net", "a.example.net"])("the name %s by a wildcard", async (publicHost) => {
    const wild = await issueServer({ names: ["*.example.net"] });
    expect(problems({ chain: [wild], key: wild.keyPem, publicHost })).toEqual([]);
  });
});

/** A certificate of `openssl req` with its key. */
async function requested(request: string): Promise<Given> {
  const files = ["-keyout", join(folder, "own.key"), "-out", join(folder, "own.pem")];
  await run("openssl", ["req", "-x509", "-nodes", ...request.split(" "), ...files]);
  const [certificate = "", key = ""] = ["own.pem", "own.key"].map((name) => readFileSync(join(folder, name), "utf8"));
  return { chain: [certificate], key };
}

test("accepts a certificate without a subject, as Let's Encrypt and Caddy issue it", async () => {
  const given = await requested(`-newkey rsa:2048 -subj / -addext subjectAltName=critical,DNS:${host}`);
  expect(problems(given)).toEqual([]);
});

const at = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
const server = new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.2"]);

describe("refuses, naming the certificate, the reason and the remedy:", () => {
  const ofLeaf = (options: IssueOptions) => async (): Promise<Given> => {
    const made = await issueServer({ issuer: root, ...options });
    return { chain: [made], key: made.keyPem, authority: root };
  };
  const ofIssuer = (options: IssueOptions) => async (): Promise<Given> => {
    const issuer = await issue("Other Intermediate", { issuer: root, ...options });
    const made = await issueServer({ issuer });
    return { chain: [made, issuer], key: made.keyPem, authority: root };
  };
  test.each<[string, () => Given | Promise<Given>, string]>([
    ["an ended certificate", ofLeaf({ from: -9, to: -2 }), `has the certificate ${host}, which ended on ${at}. Order`],
    ["one that is not valid yet", ofLeaf({ from: 2 }), `has the certificate ${host}, which is not valid before ${at}`],
    [
      "an ended intermediate",
      ofIssuer({ from: -9, to: -2 }),
      `Other Intermediate, which ended on ${at}. Replace it by`,
    ],
    ["a key of 1,024 bits", ofLeaf({ key: "rsa1024" }), `${host}, which has a key of 1024 bits, which clients refuse`],
    ["an issuer with such a key", ofIssuer({ key: "rsa1024" }), "Other Intermediate, which has a key of 1024 bits"],
    ["a signature with SHA-1", ofLeaf({ hash: "SHA-1" }), `${host}, which is signed with ecdsa-with-SHA1, which`],
    ["an issuer signed with SHA-1", ofIssuer({ hash: "SHA-1" }), "Other Intermediate, which is signed with ecdsa-with"],
    ["one for clients only", ofLeaf({ extensions: [server] }), `${host}, which is not for servers by its extended key`],
    ["an issuer that is no authority", ofIssuer({ authority: false }), "which may not issue certificates, but issued"],
    [
      "a missing intermediate",
      () => ({ chain: [leaf], key: leaf.keyPem, authority: root }),
      "lacks the intermediate certificate Example Intermediate. Append it to the file; if it is the authority itself, add it",
    ],
    [
      "the same without an authority",
      () => ({ chain: [leaf], key: leaf.keyPem }),
      "lacks the intermediate certificate Example Intermediate. Append it",
    ],
    [
      "a name only in the common name",
      ofLeaf({ names: [], authority: false }),
      `${host} without a subject alternative name, and clients read no common name. Order one with the name ${host}`,
    ],
  ])("%s", async (_, given, problem) => {
    const found = problems(await given());
    expect(found).toEqual([expect.stringMatching(new RegExp(`^tlsCertificateFile \\(chain.pem\\) .*${problem}`))]);
  });

  const kinds: readonly (readonly [request: string, fault: string])[] = [
    ["-newkey ed25519", "has a key of the kind ed25519, which browsers refuse"],
    ["-newkey ec -pkeyopt ec_paramgen_curve:secp521r1", "has a key of the kind secp521r1, which browsers refuse"],
    ["-newkey ec -pkeyopt ec_paramgen_curve:brainpoolP256r1", "has a key of the kind brainpoolP256r1, which browsers"],
    [
      "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -pkeyopt ec_param_enc:explicit",
      "has a key of the kind EC with explicit parameters, which browsers",
    ],
    ["-newkey rsa-pss -pkeyopt rsa_keygen_bits:2048", "has a key of the kind rsa-pss, which browsers refuse"],
    ["-newkey rsa:2048 -addext keyUsage=keyEncipherment,dataEncipherment", "has a key usage without digital signature"],
    ["-newkey rsa:2048 -addext tlsfeature=status_request", "needs OCSP stapling, which the gateway does not do"],
    ["-newkey rsa:2048 -set_serial -5", "has a negative serial number, which clients in Go refuse"],
  ];
  test.each(kinds)("a certificate of `openssl req %s`", async (request, fault) => {
    const given = await requested(`${request} -subj /CN=${host} -addext subjectAltName=DNS:${host}`);
    expect(problems(given)).toEqual([expect.stringContaining(`has the certificate ${host}, which ${fault}`)]);
  });

  test("an authority with a key of such a kind, which a client in Node does not survive", async () => {
    const files = ["-keyout", join(folder, "root.key"), "-out", join(folder, "root.pem")];
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:brainpoolP256r1"];
    await run("openssl", ["req", "-x509", "-nodes", ...curve, "-subj", "/CN=Example Root", ...files]);
    const pem = readFileSync(join(folder, "root.pem"), "utf8");
    expect(problems({ chain: [leaf, mid, root], key: leaf.keyPem, authority: { ...root, pem } })).toEqual([
      expect.stringContaining("ends in the authority Example Root, which is not in tlsCaFile"),
    ]);
  });

  test("another name, with the names of the certificate", async () => {
    const made = await issueServer({ issuer: root, names: ["*.example.org", "*.net"] });
    expect(problems({ chain: [made], key: made.keyPem, authority: root })).toEqual([
      `tlsCertificateFile (chain.pem) has a certificate for DNS:*.example.org, DNS:*.net, not for publicHost, ${host}. Order one with this name, or set publicHost to one of its names`,
    ]);
  });

  test("an authority that tlsCaFile does not contain", async () => {
    const other = await issue("Other Root");
    expect(problems({ chain: [leaf, mid, root], key: leaf.keyPem, authority: other })).toEqual([
      "tlsCertificateFile (chain.pem) ends in the authority Example Root, which is not in tlsCaFile. Add its certificate to that file",
    ]);
    expect(problems({ chain: [leaf, mid], key: leaf.keyPem, authority: mid })).toEqual([
      expect.stringContaining("lacks the intermediate certificate Example Root. Append"),
    ]);
  });

  test("a name that the authority may not certify, with OpenSSL's reason", async () => {
    // Name constraints (RFC 5280, 4.2.1.10): only the DNS name other.org is permitted.
    const permitted = Buffer.from("300fa00d300b8209", "hex");
    const value = Buffer.concat([permitted, Buffer.from("other.org")]);
    const bound = await issue("Bound Authority", {
      issuer: root,
      extensions: [new Extension("2.5.29.30", true, value)],
    });
    const made = await issueServer({ issuer: bound });
    expect(problems({ chain: [made, bound], key: made.keyPem, authority: root })).toEqual([
      expect.stringContaining("is refused by clients: "),
    ]);
  });

  test.each([
    ["a signature with SHA-224", "-sha224", "", "is signed with sha224WithRSAEncryption, which clients refuse"],
    ["a name that is not ASCII", "", ",DNS:bücher.example", "has a name with characters outside of ASCII, which"],
  ])("%s", async (_, option, name, fault) => {
    const own = await requested("-newkey rsa:2048 -subj /CN=Own");
    const [pem, keyPem] = ["own-root.pem", "own-root.key"].map((file) => join(folder, file));
    writeFileSync(pem!, textOf(own.chain));
    writeFileSync(keyPem!, own.key);
    const names = `-subj /CN=${host} -addext subjectAltName=DNS:${host}${name}`;
    const given = await requested(`-newkey rsa:2048 ${names} -CA ${pem} -CAkey ${keyPem} ${option}`.trim());
    expect(problems({ ...given, authority: { ...root, pem: textOf(own.chain) } })).toEqual([
      expect.stringContaining(`has the certificate ${host}, which ${fault}`),
    ]);
  });

  test("an extension that clients do not know, with OpenSSL's reason", async () => {
    const unknown = await issueServer({ issuer: root, extensions: [new Extension("1.2.3.4", true, Buffer.of(5, 0))] });
    expect(problems({ chain: [unknown], key: unknown.keyPem, authority: root })).toEqual([
      expect.stringContaining("is refused by clients: unhandled critical extension."),
    ]);
  });

  test("a key of another certificate", async () => {
    const other = await issueServer();
    expect(problems({ chain: [leaf, mid], key: other.keyPem, authority: root })).toEqual([
      `tlsPrivateKeyFile (key.pem) does not belong to the certificate ${host}. Name the key with which it was ordered`,
    ]);
  });

  test("files without the right blocks, both together", () => {
    expect(problems({ chain: [leaf.keyPem], key: leaf.pem })).toEqual([
      "tlsCertificateFile (chain.pem) has no block CERTIFICATE, only PRIVATE KEY. Its certificates must be in PEM form",
      "tlsPrivateKeyFile (key.pem) has no block PRIVATE KEY, only CERTIFICATE. It must be an unencrypted private key in PEM form",
    ]);
    const absent = join(folder, "absent.pem");
    expect(() => checkedCertificate({ certificateFile: absent, privateKeyFile: absent, publicHost: host })).toThrow(
      /tlsCertificateFile cannot be read \(ENOENT\).*\n.*tlsPrivateKeyFile cannot be read/,
    );
  });
});

test("takes the texts of other resources, and only the key stays secret", async () => {
  const own = await issueServer();
  const made = ownCertificate({
    certificateFile: output(secret(own.pem)),
    privateKeyFile: secret(own.keyPem),
    publicHost: output(host),
  });
  const value = (of: Output<string>) => new Promise((resolve) => void of.apply(resolve));
  expect(await Promise.all([made.certificate, made.privateKey, made.caCertificate].map(value))).toEqual([
    own.pem,
    own.keyPem,
    own.pem,
  ]);
  expect(await Promise.all([isSecret(made.certificate), isSecret(made.privateKey)])).toEqual([false, true]);
});

test.each([
  ["is valid for 826 days, more than 825", "-days 826 -addext extendedKeyUsage=serverAuth"],
  ["lacks the extended key usage of servers (serverAuth)", "-days 825"],
])("warns that Apple's clients refuse a certificate that %s", async (fault, request) => {
  const warn = vi.spyOn(log, "warn").mockResolvedValue();
  const { chain, key } = await requested(
    `-newkey rsa:2048 ${request} -subj /CN=${host} -addext subjectAltName=DNS:${host}`,
  );
  ownCertificate({ certificateFile: textOf(chain), privateKeyFile: key, publicHost: host });
  expect(warn.mock.calls).toEqual([
    [expect.stringContaining(`the certificate ${host} ${fault}, so Safari and other programs of macOS`)],
  ]);
  warn.mockRestore();
});
