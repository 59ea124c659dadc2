/** The whole service as one component, for this project's own program and for programs of other teams. */
import {
  all,
  ComponentResource,
  type ComponentResourceOptions,
  getProject,
  getStack,
  type Input,
  output,
  type Output,
  runtime,
  secret,
} from "@pulumi/pulumi";
import { projectName } from "@routeql/host/paths";
import { consoleAddress, serviceAddress } from "../settings/values/addresses.ts";
import { databaseAccess, databaseReach, type DatabaseReach } from "./database.ts";
import { resourceNames } from "../resource-names.ts";
import { makeSecrets } from "./secrets.ts";
import { componentType, stateIdentity } from "./state-identity.ts";
import { type DeployedService, runOnTarget, serviceHost } from "./target.ts";
import { builtImages, pulledImages } from "../images.ts";
import { archives } from "../settings/archive.ts";
import { describeServices } from "../services/all.ts";
import { hasFeed } from "../services/feed.ts";
import { stackLabel } from "../monitoring/stack-label.ts";
import { monitoredParts } from "../services/monitoring.ts";
import type { Secrets } from "../description/secrets.ts";
import type { RouteQLArgs } from "../settings/groups.ts";
import { checkedSettingsOf, settingsOf } from "../settings/reading/argument-problems.ts";
import type { Settings } from "../settings/list.ts";
import { foreignOnDocker } from "../targets/foreign-stack.ts";
import { authorityOf } from "../tls/authority.ts";
import { foreignCertificate, type GatewayCertificate } from "../tls/certificate.ts";
import { ownCertificate } from "../tls/own-certificate.ts";
import { selfSigned, type SelfSignedScope } from "../tls/self-signed.ts";

export type { DeployedService } from "./target.ts";

const passwordNames = ["owner", "engine", "sidecar", "loader", "backup", "metadata", "monitor", "feed"] as const;

/** Passwords of the database's login roles, without the superuser's; empty for a role whose service is off. */
export type DatabasePasswords = Readonly<Record<(typeof passwordNames)[number], string>>;

function databasePasswords(secrets: Secrets): Output<DatabasePasswords> {
  const named = passwordNames.map((name) => [name, secrets[`${name}-password`] ?? ""] as const);
  return secret(all(Object.fromEntries(named)).apply((values) => values as DatabasePasswords));
}

export interface RouteQLOptions extends ComponentResourceOptions {
  /** Whether Pulumi refuses to delete the data volumes and the secrets that their data requires, until they are unprotected. Default: false. */
  readonly protectData?: boolean;
  /** Identity of the state, for the label `com.routeql.state` of every object. Default: generated once and kept in the state. `false`: no label. */
  readonly stateIdentity?: Input<string> | false;
  /** Docker: identity of the database's volume if it replaces a lost one. The jobs then run again, and no first administrator is created. */
  readonly dataVolume?: string | undefined;
  /** Whether the caller has checked the arguments, as this project's own program does. Default: false. */
  readonly checked?: boolean;
  /** Kubernetes: whether objects with versions are named by their content, for manifests. Default: false, names that Pulumi generates. */
  readonly contentNames?: boolean;
  /** Kubernetes: digests (`sha256:…`) that pin images, by reference. */
  readonly imageDigests?: ReadonlyMap<string, string> | undefined;
  /** Kubernetes: services whose autoscaler the last update had. It stays for one update, so that fewer replicas take effect at once. */
  readonly autoscaledBefore?: readonly string[];
}

/** The gateway, the engine, the auth sidecar, the session store and the database, on one Docker host or on Kubernetes. */
export class RouteQL extends ComponentResource {
  /** Base address of the API, without a slash at its end. */
  readonly url: Output<string>;
  /** Address of the console; absent if it is not enabled. */
  readonly consoleUrl: Output<string> | undefined;
  /** Certificate that clients must trust, PEM. */
  readonly caCertificate: Output<string>;
  /** Secret: value of `x-service-api-key`. */
  readonly serviceApiKey: Output<string>;
  /** Secret: the master key, value of `X-Engine-Access-Key`. */
  readonly engineAccessKey: Output<string>;
  readonly adminEmail: Output<string>;
  /** Secret: the first administrator's first password. */
  readonly adminPassword: Output<string>;
  /** Secret. */
  readonly databasePasswords: Output<DatabasePasswords>;
  /** Connection data with which tools on this machine reach the database. */
  readonly database: Output<DatabaseReach>;
  readonly services: Output<DeployedService[]>;

  /** @param name prefix of resource names, Docker objects and the Kubernetes namespace @throws {SettingsError} with all problems */
  constructor(
    name: string,
    args: RouteQLArgs = {},
    {
      protectData = false,
      stateIdentity: given,
      dataVolume,
      checked = false,
      contentNames = false,
      imageDigests,
      autoscaledBefore = [],
      ...options
    }: RouteQLOptions = {},
  ) {
    const stack = getStack();
    // In a program of another team the name of a stack decides nothing.
    const read = checked ? checkedSettingsOf : settingsOf;
    const { settings, given: flat } = read(args, getProject() === projectName ? stack : "");
    super(componentType, name, {}, options);

    const named = resourceNames(name);
    const certificate = this.#certificate(settings, { stack, named });
    const database = databaseAccess(settings, flat);
    const secrets = makeSecrets(flat, {
      database,
      tlsPrivateKey: certificate.privateKey,
      protectData,
      generations: settings,
      archived: archives(settings),
      fed: hasFeed(settings),
      databaseMonitored: monitoredParts(settings).includes("database"),
      collectsMetrics: settings.monitoring === "stack",
      named,
      parent: this,
    });
    const prefix = `${name}-${stack}`;
    // An explicit provider can have a daemon that does not answer here.
    const isAsked = settings.target === "docker" && options.provider === undefined && options.providers === undefined;
    const generated = (): Output<string> => {
      const identity = stateIdentity(name, { protect: protectData, parent: this });
      if (!isAsked) return identity;
      return identity.apply(async (own) => {
        const refusal = await foreignOnDocker({ stack, prefix, identity: own });
        if (refusal !== undefined) throw refusal;
        return own;
      });
    };
    const state = given === false ? undefined : output(given ?? generated());
    const images = { built: builtImages(settings), pulled: pulledImages(settings) };
    const ownAuthorities = authorityOf("authoritiesFile", settings.authoritiesFile);
    const databaseAuthority = authorityOf("databaseCaFile", settings.databaseCaFile);
    const deployed = runOnTarget(
      settings,
      {
        services: describeServices(settings, {
          hostOf: serviceHost(settings, prefix),
          stack: stackLabel(prefix),
          certificate: certificate.certificate,
          directoryAuthority: authorityOf("ldapCaFile", settings.ldapCaFile),
          databaseAuthority: databaseAuthority ?? ownAuthorities,
          ownAuthorities,
          alertWebhook: flat.alertWebhookUrl !== undefined,
          alertWatchdog: flat.alertWatchdogUrl !== undefined,
          sessionsAuthority: authorityOf("sessionsCaFile", settings.sessionsCaFile),
          storageAuthority: authorityOf("backupCaFile", settings.backupCaFile),
        }),
        images,
        secrets,
        given: flat,
        protectData,
        prefix,
        stack,
        state,
        dataVolume,
        contentNames,
        imageDigests,
        autoscaledBefore,
        named,
      },
      this,
    );

    const everythingReady = all(deployed.map(({ ready }) => ready));
    // Otherwise a preview would show every unknown address as changed.
    const whenReady = (address: Input<string>): Output<string> =>
      runtime.isDryRun() ? output(address) : output([address, everythingReady]).apply(([known]) => known as string);
    const consoleUrl = consoleAddress(settings);
    this.url = whenReady(serviceAddress(settings));
    this.consoleUrl = consoleUrl === undefined ? undefined : whenReady(consoleUrl);
    this.caCertificate = certificate.caCertificate;
    this.serviceApiKey = secrets["service-api-key"];
    this.engineAccessKey = secrets["engine-access-key"];
    this.adminEmail = output(settings.adminEmail);
    this.adminPassword = secrets["admin-password"];
    this.databasePasswords = databasePasswords(secrets);
    const registry = settings.target === "kubernetes" ? settings.imageRegistry : undefined;
    this.database = databaseReach(settings, database, { ...images, registry }, databaseAuthority ?? ownAuthorities);
    this.services = all(deployed.map(({ described }) => described));
    this.registerOutputs({ url: this.url, caCertificate: this.caCertificate, services: this.services });
  }

  #certificate(settings: Settings, scope: SelfSignedScope): GatewayCertificate {
    const authority = authorityOf("tlsCaFile", settings.tlsCaFile);
    if (settings.certificateIssuer !== undefined || settings.certificateSecret !== undefined)
      return foreignCertificate(authority);
    const { tlsCertificateFile: certificateFile, tlsPrivateKeyFile: privateKeyFile, publicHost } = settings;
    if (certificateFile === undefined || privateKeyFile === undefined)
      return selfSigned(publicHost, { ...scope, generation: settings.tlsGeneration }, this);
    return ownCertificate({ certificateFile, privateKeyFile, publicHost, authority });
  }
}
