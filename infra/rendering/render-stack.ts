/**
 * A stack's program as Kubernetes manifests: the program itself is run, with placeholders for everything secret.
 * @module
 */
import { partOf } from "../components/resource-names.ts";
import { RouteQL } from "../components/routeql.ts";
import { toArguments } from "../program.ts";
import type { GivenSettings } from "../settings/list.ts";
import { filesOf } from "./files.ts";
import { manifestOf } from "./manifest.ts";
import { placeholder, withoutSecrets } from "./placeholders.ts";
import { recordResources } from "./record.ts";

const component = "routeql";

/** Where the gateway's certificate comes from if no setting says so: what is made during a deployment cannot be rendered. */
const certificateSecret = "gateway-certificate";

export interface RenderedStack {
  /** Contents by path. */
  readonly files: ReadonlyMap<string, string>;
  /** What whoever applies them has to see to. */
  readonly notes: readonly string[];
}

function withCertificate(given: GivenSettings): GivenSettings {
  const { tlsCertificateFile, certificateIssuer, certificateSecret: named } = given;
  return [tlsCertificateFile, certificateIssuer, named].some((source) => source !== undefined) ? given : { ...given, certificateSecret };
}

/** What the providers of other resources than Kubernetes' would compute, the same at each run. */
function answers(type: string, name: string): Readonly<Record<string, unknown>> {
  return type === "random:index/randomPassword:RandomPassword" ? { result: placeholder(partOf(component, name) ?? name) } : {};
}

/** @throws {SettingsError} listing everything that is wrong with the settings */
export async function renderStack(stack: string, settings: GivenSettings): Promise<RenderedStack> {
  const given = withCertificate({ ...settings, pushImages: false });
  const resources = await recordResources(() => void new RouteQL(component, toArguments(withoutSecrets(given))), {
    stack,
    preview: false,
    answers,
  });
  const manifests = resources.map(manifestOf).filter((manifest) => manifest !== undefined);
  const order = resources.filter(({ type }) => type === "routeql:kubernetes:Service").map(({ name }) => partOf(component, name) ?? name);
  const files = filesOf(manifests, ["stack", ...order]);
  return { files, notes: notesOf(files, given.certificateSecret) };
}

function notesOf(files: ReadonlyMap<string, string>, secret: string | undefined): readonly string[] {
  const secrets = [...files.keys()].filter((path) => path.startsWith("secrets/"));
  return [
    ...(secrets.length === 0 ? [] : [`Secrets are placeholders: fill in ${secrets.join(", ")}, and keep the result out of version control.`]),
    ...(secret === undefined ? [] : [`The gateway's certificate is expected in the Secret ${secret} (tls.crt, tls.key).`]),
  ];
}
