import { expect, test } from "vitest";
import { storageAddress } from "./storage-region.ts";

/** Endpoints in the form of each provider's documents. */
test.each([
  ["Amazon", "https://s3.eu-central-1.amazonaws.com", "eu-central-1", "path"],
  ["Amazon, older form", "https://s3-eu-west-1.amazonaws.com", "eu-west-1", "path"],
  ["Amazon, both families", "https://s3.dualstack.eu-west-3.amazonaws.com", "eu-west-3", "path"],
  ["Amazon, FIPS", "https://s3-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1", "path"],
  ["Amazon, China", "https://s3.cn-north-1.amazonaws.com.cn", "cn-north-1", "path"],
  ["Amazon, private", "https://bucket.vpce-0a1b-2c3d.s3.eu-west-1.vpce.amazonaws.com", "eu-west-1", "path"],
  ["Amazon without a region", "https://s3.amazonaws.com", "us-east-1", "path"],
  ["Alibaba", "https://oss-eu-central-1.aliyuncs.com", "oss-eu-central-1", "host"],
  ["Alibaba, form of S3", "https://s3.oss-eu-central-1.aliyuncs.com", "oss-eu-central-1", "host"],
  ["Backblaze", "https://s3.us-west-004.backblazeb2.com", "us-west-004", "path"],
  ["Cloudflare", "https://0123456789abcdef0123456789abcdef.r2.cloudflarestorage.com", "auto", "path"],
  [
    "Cloudflare, European Union",
    "https://0123456789abcdef0123456789abcdef.eu.r2.cloudflarestorage.com",
    "auto",
    "path",
  ],
  ["DigitalOcean", "https://fra1.digitaloceanspaces.com", "fra1", "path"],
  ["Exoscale", "https://sos-ch-gva-2.exo.io", "ch-gva-2", "path"],
  ["Google", "https://storage.googleapis.com", "auto", "path"],
  ["Hetzner", "https://fsn1.your-objectstorage.com", "fsn1", "path"],
  ["Huawei", "https://obs.eu-west-101.myhuaweicloud.eu", "eu-west-101", "host"],
  ["IBM", "https://s3.eu-de.cloud-object-storage.appdomain.cloud", "eu-de", "path"],
  ["IBM, private", "https://s3.private.eu-de.cloud-object-storage.appdomain.cloud", "eu-de", "path"],
  ["IONOS", "https://s3.eu-central-3.ionoscloud.com", "eu-central-3", "path"],
  ["Linode", "https://us-iad-1.linodeobjects.com", "us-iad-1", "path"],
  ["MinIO", "https://minio.example.net:9000", "us-east-1", "path"],
  ["Oracle", "https://tenancy.compat.objectstorage.eu-frankfurt-1.oraclecloud.com", "eu-frankfurt-1", "path"],
  ["OVH", "https://s3.gra.io.cloud.ovh.net", "gra", "path"],
  ["OVH, older form", "https://s3.sbg.cloud.ovh.net", "sbg", "path"],
  ["OVH, performance", "https://s3.gra.perf.cloud.ovh.net", "gra", "path"],
  ["Scaleway", "https://s3.fr-par.scw.cloud", "fr-par", "path"],
  ["STACKIT", "https://object.storage.eu01.onstackit.cloud", "eu01", "path"],
  ["Tencent", "https://cos.eu-frankfurt.myqcloud.com", "eu-frankfurt", "host"],
  ["Tigris", "https://t3.storage.dev", "auto", "path"],
  ["Tigris, on Fly.io", "https://fly.storage.tigris.dev", "auto", "path"],
  ["Vultr", "https://ewr1.vultrobjects.com", "ewr1", "path"],
  ["Wasabi", "https://s3.eu-central-1.wasabisys.com", "eu-central-1", "path"],
  ["Wasabi without a region", "https://s3.wasabisys.com", "us-east-1", "path"],
])("%s: %s has the region %s", (_provider, endpoint, region, style) => {
  expect(storageAddress(endpoint, undefined, "routeql")).toEqual({ endpoint: new URL(endpoint).host, region, style });
});

test("a given region is before that of the endpoint, and chooses Amazon's endpoint", () => {
  expect(storageAddress("https://garage.example.net", "garage", "routeql").region).toBe("garage");
  expect(storageAddress("https://s3.gra.io.cloud.ovh.net", "GRA", "routeql").region).toBe("GRA");
  expect(storageAddress(undefined, "eu-central-1", "routeql")).toMatchObject({
    endpoint: "s3.eu-central-1.amazonaws.com",
    region: "eu-central-1",
  });
  expect(storageAddress(undefined, "cn-north-1", "routeql").endpoint).toBe("s3.cn-north-1.amazonaws.com.cn");
  expect(storageAddress(undefined, undefined, "routeql")).toEqual({
    endpoint: "s3.amazonaws.com",
    region: "us-east-1",
    style: "host",
  });
});

test("the bucket may stand in the host of the endpoint, as in DigitalOcean's console", () => {
  const plain = storageAddress("https://fra1.digitaloceanspaces.com", undefined, "routeql");
  expect(storageAddress("https://routeql.fra1.digitaloceanspaces.com", undefined, "routeql")).toEqual(plain);
  expect(storageAddress("https://other.fra1.digitaloceanspaces.com", undefined, "routeql").endpoint).toContain("other");
});

test.each([
  ["https://backup.example.net", "backup"],
  ["https://minio.example.net:9000", "minio"],
  ["https://storage.googleapis.com", "storage"],
  ["https://fsn1.your-objectstorage.com", "fsn1"],
])("the host of %s stays, though it starts as the bucket %s", (endpoint, bucket) => {
  expect(storageAddress(endpoint, undefined, bucket).endpoint).toBe(new URL(endpoint).host);
});
