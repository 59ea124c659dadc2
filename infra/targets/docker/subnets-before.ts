import { getOrganization, getProject, getStack, runtime } from "@pulumi/pulumi";
import { stackLabel } from "@routeql/host/ownership";
import { outputsBefore } from "../../deployed-before.ts";
import { type DockerClient, daemonOfProvider } from "./provider-daemon.ts";
import type { Scope } from "./scope.ts";
import type { HeldSubnets } from "./subnets.ts";

interface NetworkState {
  readonly type?: string;
  readonly outputs?: { readonly name?: string; readonly ipamConfigs?: readonly { readonly subnet?: string }[] };
}

/** Resources of the last update. Pulumi crashes on a state without any update, so the stack must have outputs. */
async function resourcesBefore(): Promise<readonly NetworkState[]> {
  const stackName = `${getOrganization()}/${getProject()}/${getStack()}`;
  const { outputs } = (await runtime.invoke(
    "pulumi:pulumi:readStackResourceOutputs",
    { stackName },
    { async: true },
  )) as { readonly outputs?: Readonly<Record<string, NetworkState>> };
  return Object.values(outputs ?? {});
}

const named = (prefix: string, networks: readonly (readonly [string, string | undefined])[]): HeldSubnets =>
  Object.fromEntries(
    networks.flatMap(([name, subnet]) =>
      name.startsWith(`${prefix}-`) && subnet !== undefined ? [[name.slice(prefix.length + 1), subnet]] : [],
    ),
  );

interface DockerNetwork {
  readonly Name: string;
  readonly IPAM?: { readonly Config?: readonly { readonly Subnet?: string }[] | null } | null;
}

/** Subnets that the stack's networks have: by its state, or by the Docker daemon if no update has succeeded. */
export async function subnetsBefore(
  { prefix, stack }: Pick<Scope, "prefix" | "stack">,
  docker: DockerClient | undefined = daemonOfProvider(),
): Promise<HeldSubnets> {
  if (Object.keys(await outputsBefore()).length > 0) {
    const networks = (await resourcesBefore()).filter(({ type }) => type === "docker:index/network:Network");
    return named(
      prefix,
      networks.map(({ outputs = {} }) => [outputs.name ?? "", outputs.ipamConfigs?.[0]?.subnet]),
    );
  }
  if (docker === undefined) return {};
  const filters = { label: [`${stackLabel}=${stack}`] };
  const networks = (await docker.listNetworks({ filters })) as readonly DockerNetwork[];
  return named(
    prefix,
    networks.map(({ Name, IPAM }) => [Name, IPAM?.Config?.[0]?.Subnet]),
  );
}
