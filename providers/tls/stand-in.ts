import { providerVersion } from "../choice.ts";
import { makeProvider } from "../shared/provider.ts";
import { certRequest } from "./cert-request.ts";
import { locallySignedCert } from "./locally-signed-cert.ts";
import { privateKey } from "./private-key.ts";
import { selfSignedCert } from "./self-signed-cert.ts";

export const provider = makeProvider("tls", providerVersion("tls"), {
  "tls:index/privateKey:PrivateKey": privateKey,
  "tls:index/selfSignedCert:SelfSignedCert": selfSignedCert,
  "tls:index/certRequest:CertRequest": certRequest,
  "tls:index/locallySignedCert:LocallySignedCert": locallySignedCert,
});
