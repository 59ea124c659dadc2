import { createRequire } from "node:module";
import { makeProvider } from "../provider/provider.ts";
import { certRequest } from "./cert-request.ts";
import { locallySignedCert } from "./locally-signed-cert.ts";
import { privateKey } from "./private-key.ts";
import { selfSignedCert } from "./self-signed-cert.ts";

const { version } = createRequire(import.meta.url)("@pulumi/tls/package.json") as { version: string };

export const provider = makeProvider("tls", version, {
  "tls:index/privateKey:PrivateKey": privateKey,
  "tls:index/selfSignedCert:SelfSignedCert": selfSignedCert,
  "tls:index/certRequest:CertRequest": certRequest,
  "tls:index/locallySignedCert:LocallySignedCert": locallySignedCert,
});
