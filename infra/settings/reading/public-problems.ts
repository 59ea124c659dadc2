import { addressesOf } from "../values/checks.ts";
import type { SettingsProblem } from "./error.ts";
import type { PlainSettings, SettingName } from "../list.ts";

export const isLoopback = (host: string): boolean => /^(localhost|.*\.localhost|127\.[\d.]+|::1)$/i.test(host);

/** Whether clients of other machines reach the published ports. */
const isPublic = ({ target, hostAddress, gatewayService }: PlainSettings): boolean =>
  target === "kubernetes" ? gatewayService === "LoadBalancer" : !addressesOf(hostAddress).every(isLoopback);

/** Missing settings of a stack that other machines reach. `prod` also needs a trusted certificate and, on Kubernetes, a registry. */
export function publicProblems(settings: PlainSettings, stack: string): SettingsProblem[] {
  const production = stack === "prod";
  if (!production && !isPublic(settings)) return [];
  const place = production ? "required by the stack prod" : "required by a public stack";
  const problems: SettingsProblem[] = [];
  const missing = (name: SettingName, problem: string): void => void problems.push({ name, place, problem });
  const { publicHost, target, tlsCertificateFile, certificateIssuer, certificateSecret, imageRegistry } = settings;
  if (isLoopback(publicHost)) missing("publicHost", `is ${publicHost}, but must be the host name that clients use`);
  if (!production) return problems;
  const kubernetes = target === "kubernetes";
  if (kubernetes && imageRegistry === undefined)
    missing("imageRegistry", "is missing: the nodes pull the images of this project from it");
  if ((tlsCertificateFile ?? certificateIssuer ?? certificateSecret) === undefined)
    missing(
      kubernetes ? "certificateIssuer" : "tlsCertificateFile",
      kubernetes
        ? "is missing: set it, certificateSecret or tlsCertificateFile"
        : "is missing, and so is tlsPrivateKeyFile",
    );
  return problems;
}
