/** Random certificates with their chains, for a comparison with OpenSSL's verdict. The same number gives the same case, with other keys. */
import "reflect-metadata";
import { ExtendedKeyUsageExtension } from "@peculiar/x509";
import { host, issue, type Issued, type IssueOptions } from "./certificates.ts";

export interface RandomChain {
  /** The file as a person has it: any order, other certificates, any line ends, sometimes the key. */
  readonly file: string;
  readonly keyPem: string;
  /** The same certificates, clean. */
  readonly leaf: Issued;
  readonly others: readonly Issued[];
  /** Authority of the clients. */
  readonly authority: Issued;
  readonly faults: readonly string[];
}

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const clientsOnly = new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.2"]);
const serversToo = new ExtendedKeyUsageExtension(["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.1"]);

/** Faults of one certificate, by name. */
const faults: Readonly<Record<string, IssueOptions>> = {
  ended: { from: -40, to: -1 },
  early: { from: 1, to: 40 },
  "SHA-1": { hash: "SHA-1" },
  "1024 bits": { key: "rsa1024" },
  "for clients": { extensions: [clientsOnly] },
};
const variants: readonly IssueOptions[] = [
  {},
  { hash: "SHA-384" },
  { key: "rsa2048" },
  { extensions: [serversToo] },
  { to: 400 },
];
const nameSets: readonly (readonly string[])[] = [
  [host],
  ["*.example.net"],
  ["a.example.org", host],
  [host.toUpperCase()],
];
const wrongNames: readonly (readonly string[])[] = [
  ["a.example.net"],
  ["*.routes.example.net"],
  ["example.net"],
  ["*.net"],
];

const pools = new Map<IssueOptions["key"], Promise<Issued>[]>();
let taken = 0;
/** A key pair of a pool: RSA keys take long to generate. */
async function someKeys(kind: NonNullable<IssueOptions["key"]>): Promise<Issued["keys"]> {
  const pool = pools.get(kind) ?? Array.from({ length: 12 }, () => issue("key", { key: kind }));
  pools.set(kind, pool);
  taken += 1;
  return (await pool[taken % pool.length]!).keys;
}

const issueWith = async (name: string, options: IssueOptions): Promise<Issued> =>
  issue(name, { keys: await someKeys(options.key ?? "p256"), ...options });

export async function randomChain(seed: number): Promise<RandomChain> {
  const random = randomOf(seed);
  const oneOf = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const chance = (share: number): boolean => random() < share;
  const made: string[] = [];
  const options = (place: string): IssueOptions => {
    if (!chance(0.08)) return oneOf(variants);
    const fault = oneOf(Object.keys(faults));
    made.push(`${place}: ${fault}`);
    return faults[fault]!;
  };

  const authority = await issueWith("Random Root", options("root"));
  const old = await issueWith("Old Root", chance(0.2) ? faults["ended"]! : {});
  const issuers: Issued[] = [];
  let issuer = authority;
  for (let depth = Math.floor(random() * 4); depth > 0; depth -= 1) {
    const noAuthority = chance(0.03);
    if (noAuthority) made.push(`intermediate ${depth}: no authority`);
    issuer = await issueWith(`Intermediate ${depth}`, {
      issuer,
      ...options(`intermediate ${depth}`),
      ...(noAuthority ? { authority: false } : {}),
    });
    issuers.push(issuer);
  }
  const wrongName = chance(0.08);
  if (wrongName) made.push("leaf: other name");
  const withoutName = !wrongName && chance(0.04);
  if (withoutName) made.push("leaf: name only in the common name");
  const names = withoutName ? [] : oneOf(wrongName ? wrongNames : nameSets);
  const leaf = await issueWith(host, { issuer, ...options("leaf"), names, authority: false });

  const crossed = issuers[0] !== undefined && chance(0.3) ? oneOf([authority, issuers[0]]) : authority;
  const cross = chance(0.35)
    ? [await issueWith(crossed.name, { issuer: old, keys: crossed.keys, key: crossed.kind, ...options("cross") })]
    : [];
  const missing = chance(0.1) ? oneOf([...issuers, undefined]) : undefined;
  if (missing !== undefined) made.push(`${missing.name} is missing`);
  const others = [
    ...issuers.filter((each) => each !== missing),
    ...cross,
    ...(chance(0.3) ? [authority] : []),
    ...(chance(0.15) ? [await issueWith("Unrelated", oneOf(variants))] : []),
    ...(chance(0.1) ? [await issueWith(host, { issuer, names: [host] })] : []),
    ...(chance(0.1) ? [await issueWith(issuer.name, {})] : []),
  ];
  const texts = [leaf, ...others].map(({ pem }) => pem);
  if (chance(0.2)) texts.push(leaf.keyPem);
  if (chance(0.6)) texts.sort(() => random() - 0.5);
  const join = oneOf<(text: readonly string[]) => string>([
    (all) => all.join(""),
    (all) => all.map((text) => text.trim()).join(""),
    (all) => all.join("subject=CN = x\n\n").replaceAll("\n", "\r\n"),
    (all) => `\uFEFF${all.join("\n\n")}`,
  ]);
  return { file: join(texts), keyPem: leaf.keyPem, leaf, others, authority, faults: made };
}
