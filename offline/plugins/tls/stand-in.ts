import { officialVersion } from "../shared/version.ts";
import { makeProvider } from "../shared/provider.ts";
import { certRequest, locallySignedCert, selfSignedCert } from "./certificates.ts";
import { privateKey } from "./keys.ts";

export const provider = makeProvider("tls", officialVersion("tls"), {
  "tls:index/privateKey:PrivateKey": privateKey,
  "tls:index/selfSignedCert:SelfSignedCert": selfSignedCert,
  "tls:index/certRequest:CertRequest": certRequest,
  "tls:index/locallySignedCert:LocallySignedCert": locallySignedCert,
});
