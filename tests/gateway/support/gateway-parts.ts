import type { GatewaySettings } from "@routeql/nginx/render";
import { image } from "../../harness/containers/image.ts";
import { TestNetwork } from "../../harness/docker/test-network.ts";
import { makeCertificate, type TestCertificate } from "../../harness/certificate.ts";
import { GatewayContainer, roomySettings, type StartedGateway } from "./gateway-container.ts";
import { StartedUpstream, startUpstream } from "./upstream.ts";

/** A gateway with a fake upstream for each service behind it. */
export interface GatewayParts extends AsyncDisposable {
  readonly network: TestNetwork;
  readonly engine: StartedUpstream;
  readonly sidecar: StartedUpstream;
  readonly gateway: StartedGateway;
}

export interface GatewayOptions {
  readonly settings?: Partial<GatewaySettings>;
  /** Changes the rendered files. */
  readonly edit?: (files: Record<string, string>) => void;
  readonly certificate?: TestCertificate;
}

/** Starts them; the caller disposes them. */
export async function startGatewayParts({
  settings = {},
  edit,
  certificate,
}: GatewayOptions = {}): Promise<GatewayParts> {
  await using stack = new AsyncDisposableStack();
  const network = stack.use(await TestNetwork.create());
  const [engine, sidecar] = await Promise.all([
    startUpstream("engine", network.name),
    startUpstream("auth-sidecar", network.name),
  ]);
  stack.use(engine);
  stack.use(sidecar);
  const gateway = await new GatewayContainer(await image("gateway"), certificate ?? (await makeCertificate()))
    .withNetworkMode(network.name)
    .withSettings({ ...roomySettings, ...settings }, edit)
    .start();
  stack.use(gateway);
  const all = stack.move();
  return { network, engine, sidecar, gateway, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

let shared: Promise<GatewayParts> | undefined;

/** A gateway for all files of a process that neither stop a service nor read the whole log; the end of the run removes it. */
export async function sharedGatewayParts(): Promise<GatewayParts> {
  const parts = await (shared ??= startGatewayParts());
  await Promise.all([parts.engine.answer(), parts.sidecar.answer()]);
  return parts;
}
