/** Region and form of the addresses of an object storage, from the endpoint that its provider documents. */

export interface StorageAddress {
  /** Host, and a port if it is not the standard one. */
  readonly endpoint: string;
  readonly region: string;
  /** `host`: the bucket stands before the endpoint's host; `path`: after it. */
  readonly style: "host" | "path";
}

interface Provider {
  readonly host: RegExp;
  /** From the groups of `host`. */
  readonly region: (...groups: (string | undefined)[]) => string;
  /** A provider that refuses buckets in the path. */
  readonly style?: "host";
}

const first = (region?: string): string => region ?? "us-east-1";
const always = (region: string) => (): string => region;

/** The documents of each provider name these hosts. The last rule holds for every other one. */
const providers: readonly Provider[] = [
  { host: /^s3(?:-fips)?(?:[.-]dualstack)?[.-]([a-z]{2}(?:-[a-z]+)+-\d+)\.amazonaws\.com(?:\.cn)?$/, region: first },
  { host: /^s3\.amazonaws\.com$/, region: always("us-east-1") },
  // Cloudflare R2 and Google have one name for every place.
  { host: /\.r2\.cloudflarestorage\.com$|^storage\.googleapis\.com$/, region: always("auto") },
  // Tigris.
  { host: /^(?:fly\.storage\.tigris|t3\.storage)\.dev$/, region: always("auto") },
  { host: /^s3(?:\.([a-z0-9-]+))?\.wasabisys\.com$/, region: first },
  { host: /^([a-z0-9-]+)\.(?:digitaloceanspaces|linodeobjects|vultrobjects|your-objectstorage)\.com$/, region: first },
  { host: /^s3\.([a-z0-9-]+)\.(?:io|perf)?\.?cloud\.ovh\.(?:net|us)$/, region: first },
  { host: /^sos-([a-z0-9-]+)\.exo\.io$/, region: first },
  { host: /\.compat\.objectstorage\.([a-z0-9-]+)\.(?:oraclecloud\.com|oci\.customer-oci\.com)$/, region: first },
  { host: /^s3\.(?:private\.|direct\.)?([a-z0-9-]+)\.cloud-object-storage\.appdomain\.cloud$/, region: first },
  { host: /^object\.storage\.([a-z0-9-]+)\.onstackit\.cloud$/, region: first },
  // An endpoint of a private network at Amazon.
  { host: /^(?:bucket\.)?vpce-[a-z0-9-]+\.s3\.([a-z0-9-]+)\.vpce\.amazonaws\.com$/, region: first },
  // Alibaba, Huawei and Tencent refuse buckets in the path.
  { host: /^obs\.([a-z0-9-]+)\.(?:myhuaweicloud\.(?:com|eu)|otc\.t-systems\.com)$/, region: first, style: "host" },
  { host: /^(?:s3\.)?(oss-[a-z0-9-]+?)(?:-internal)?\.aliyuncs\.com$/, region: first, style: "host" },
  { host: /^cos\.([a-z0-9-]+)\.myqcloud\.com$/, region: first, style: "host" },
  // Scaleway, Backblaze, IONOS and others: s3.<region>.<domain>.
  { host: /^s3[.-]([a-z]+(?:-[a-z0-9]+)+)\.[^.]+\./, region: first },
];

const providerOf = (hostname: string): Provider | undefined => providers.find(({ host }) => host.test(hostname));

/** Consoles of some providers show the bucket in the host of the endpoint; clients add it themselves. Of another host it is the name. */
export function withoutBucket(endpoint: string, bucket: string): string {
  const rest = endpoint.replace(`//${bucket}.`, "//");
  return rest !== endpoint && providerOf(new URL(rest).hostname) === undefined ? endpoint : rest;
}

/**
 * @param endpoint of a valid `backupEndpoint`; without one Amazon's, in the region
 * @param region `backupRegion`: before the region of the endpoint
 */
export function storageAddress(
  endpoint: string | undefined,
  region: string | undefined,
  bucket: string,
): StorageAddress {
  if (endpoint === undefined)
    return {
      endpoint:
        region === undefined
          ? "s3.amazonaws.com"
          : `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`,
      region: region ?? "us-east-1",
      style: "host",
    };
  const { host, hostname } = new URL(withoutBucket(endpoint, bucket));
  const provider = providerOf(hostname);
  const found = provider?.region(...provider.host.exec(hostname)!.slice(1));
  return { endpoint: host, region: region ?? found ?? "us-east-1", style: provider?.style ?? "path" };
}
