import { builtImages, pulledImages } from "@routeql/infra/images";
import type { BuiltImage } from "@routeql/infra/images";
import { ensureBases } from "../docker/base-images.ts";
import { ensureImage, imageExists } from "@routeql/host/docker/build";
import { removeOldImages } from "../docker/old-images.ts";
import { ensureEngine } from "../docker/engine.ts";
import { refuseSharedIds } from "../docker/host-accounts.ts";
import { pullImage } from "@routeql/host/docker/pull";
import type { Phase, PhaseContext } from "../foundation/phases.ts";
import { Failure } from "@routeql/host/failure";
import { projectName, type StackPaths } from "@routeql/host/paths";
import { olderThanStack } from "@routeql/infra/release";
import { describeServices } from "@routeql/infra/services/all";
import { networksOf } from "@routeql/infra/targets/docker/networks";
import { namespaceOf } from "@routeql/infra/targets/kubernetes/kubernetes-run";
import { connectCluster, type Connection } from "../kubernetes/connect.ts";
import { checkOwnershipInCluster } from "../kubernetes/ownership.ts";
import { type Place, placeOf, refuseOnDocker, refuseOtherCluster } from "../kubernetes/place.ts";
import { choosePlugins, type PluginKind } from "../pulumi/plugins.ts";
import { acquireCli, type PulumiCli } from "../pulumi/acquire.ts";
import { type StackConfiguration, targetOf, withSettings } from "./configuration.ts";
import { chooseImages, describeChoice, type ImageChoice, readChoice } from "./image-choice.ts";
import { networkRangeOf } from "./network-range.ts";
import { checkOwnership, type Holding, type Permit } from "./ownership.ts";
import { checkPorts } from "./ports.ts";
import { storedOutputs } from "./recovery.ts";

/** Results of phases for later phases. */
export interface Prepared {
  place?: Place;
  connection?: Connection;
  cli?: PulumiCli;
  plugins?: PluginKind;
  configuration?: StackConfiguration;
  choice?: ImageChoice;
  permit?: Permit;
  holding?: Holding;
  directoryWarnings?: readonly string[];
}

export interface Surroundings {
  readonly stack: string;
  readonly paths: StackPaths;
  readonly prepared: Prepared;
  readonly adopt: boolean;
  readonly onLine: (line: string) => void;
}

const imagesAtOnce = 3;

export function cliPhase({ prepared, onLine }: Surroundings): Phase {
  return {
    title: "Pulumi CLI",
    work: async (context) => {
      prepared.cli = await acquireCli({ ...context, onLine });
      return prepared.cli.origin;
    },
  };
}

export function clusterPhase({ stack, prepared }: Surroundings): Phase {
  return {
    title: "Kubernetes cluster",
    work: async ({ signal }) => {
      const connection = await connectCluster(signal);
      refuseOtherCluster(stack, await placeOf(stack), connection);
      prepared.connection = connection;
      if (prepared.configuration) {
        const instance = `routeql-${stack}`;
        const namespace = namespaceOf(prepared.configuration.plain, instance);
        prepared.place = { server: connection.server, namespace, instance };
      }
      return `${connection.version} at ${connection.server}`;
    },
  };
}

/** Copies the images of this machine to the nodes if the caller provides a way; else lists the images that the nodes need. */
export function deliveryPhase(
  { prepared, onLine }: Surroundings,
  deliver?: (images: readonly string[]) => Promise<void>,
): Phase {
  return {
    title: "Images on the nodes",
    work: async () => {
      const { plain } = prepared.configuration!;
      const images = [...builtImages(plain), ...pulledImages(plain)].map(({ imageName }) => imageName);
      if (!deliver) {
        for (const image of images) onLine(`required on the nodes: ${image}`);
        return "load them on the nodes (kind load docker-image, minikube image load, ctr images import), or set imageRegistry and pushImages";
      }
      await deliver(images);
      return `${images.length} images`;
    },
  };
}

export function enginePhase({ prepared, onLine }: Surroundings): Phase {
  return {
    title: "Docker engine",
    work: async (context) => {
      const engine = await ensureEngine({ ...context, onLine });
      const plain = prepared.configuration?.plain;
      if (plain !== undefined && targetOf(plain) === "docker") await refuseSharedIds(plain.images === "official");
      return engine;
    },
  };
}

/** Checked before anything is built: a stack of this name may belong to another checkout, or be of a newer version. */
export function ownerPhase({ stack, paths, prepared, adopt }: Surroundings): Phase {
  return {
    title: "Ownership",
    work: async () => {
      const { connection, place } = prepared;
      const older = olderThanStack(stack, (await storedOutputs(paths, stack))["release"]);
      if (older !== undefined) throw new Failure(older.problem, { remedy: older.remedy });
      prepared.permit =
        connection && place
          ? await checkOwnershipInCluster(connection.cluster, place, stack, adopt)
          : await checkOwnership(stack, adopt);
      return prepared.permit.replaces ? `takes over the name ${stack}` : `${stack} belongs to this checkout`;
    },
  };
}

/** The stack stores the choice once it exists: see `keepChoiceOf`. */
export function choicePhase({ stack, paths, prepared }: Surroundings): Phase {
  return {
    title: "Engine and images",
    work: async () => {
      const configuration = prepared.configuration!;
      if (targetOf(configuration.plain) === "docker") await refuseOnDocker(stack);
      prepared.choice = await chooseImages(configuration, await readChoice(paths));
      prepared.configuration = withSettings(configuration, prepared.choice.instead);
      return describeChoice(prepared.choice, prepared.configuration);
    },
  };
}

export function portsPhase({ stack, prepared }: Surroundings): Phase {
  return {
    title: "Ports",
    work: async () => {
      const { plain } = prepared.configuration!;
      await checkPorts(stack, prepared.configuration!);
      return `${plain.hostAddress}: ${plain.httpPort}, ${plain.httpsPort}, ${plain.consolePort}`;
    },
  };
}

/** @param keeps whether to reserve the ranges, as for a stack that is about to be created */
export function networksPhase(keeps: boolean): (surroundings: Surroundings) => Phase {
  return ({ stack, paths, prepared }) => ({
    title: "Networks",
    work: async () => {
      const configuration = prepared.configuration!;
      const services = describeServices(configuration.plain, { hostOf: (name) => name, certificate: "" });
      const range = await networkRangeOf(stack, paths, { configuration, networks: networksOf(services), keeps });
      if (range === undefined)
        return "chosen by the Docker engine; npm run down and npm run up give the stack a small range";
      prepared.configuration = withSettings(configuration, { networkRange: range });
      return range;
    },
  });
}

export function basesPhase({ prepared, onLine }: Surroundings): Phase {
  return {
    title: "Base images",
    work: async (context) => {
      const { given, plain, entries } = prepared.configuration!;
      const isDefault = given.nodeBase === undefined && given.imageMirror === undefined;
      const bases = await ensureBases(plain, isDefault, { ...context, onLine });
      prepared.configuration = {
        given,
        plain: { ...plain, ...bases },
        // The program computes the images' names from the same bases.
        entries:
          bases.nodeBase === plain.nodeBase ? entries : { ...entries, [`${projectName}:nodeBase`]: bases.nodeBase },
      };
      return bases.origin;
    },
  };
}

/** Builds in rounds: an image comes after its base image. */
function rounds(images: readonly BuiltImage[]): readonly BuiltImage[][] {
  const names = new Set(images.map(({ imageName }) => imageName));
  const startsFromOne = ({ args }: BuiltImage): boolean =>
    Object.values(args).some((reference) => names.has(reference));
  return [images.filter((image) => !startsFromOne(image)), images.filter(startsFromOne)];
}

export function basesOf(images: readonly BuiltImage[]): readonly string[] {
  const built = new Set(images.map(({ imageName }) => imageName));
  return [...new Set(images.flatMap(({ args }) => Object.values(args)))].filter((reference) => !built.has(reference));
}

export function imagesPhase({ prepared, onLine }: Surroundings): Phase {
  return {
    title: "Images",
    work: async (context) => {
      const { plain } = prepared.configuration!;
      const images = builtImages(plain);
      const steps = new Map<string, string>();
      const built: string[] = [];
      const pulled: string[] = [];
      // A build pulls its base without the credentials of docker login, so the base must be local before.
      for (const imageName of new Set([...pulledImages(plain).map(({ imageName }) => imageName), ...basesOf(images)])) {
        if (await imageExists(imageName)) continue;
        await pullImage(imageName, { ...context, onLine });
        pulled.push(imageName);
      }
      for (const waiting of rounds(images)) {
        const lane = async (): Promise<void> => {
          for (let image = waiting.shift(); image; image = waiting.shift()) {
            const { name } = image;
            const show = (line: string): void => {
              onLine(`[${name}] ${line}`);
              if (line.startsWith("Step ")) steps.set(name, /^Step \d+\/\d+/.exec(line)?.[0].slice(5) ?? "");
              context.show(`building ${[...steps].map(([key, step]) => `${key} ${step}`).join(", ")}`);
            };
            if ((await ensureImage(image, { onLine: show, signal: context.signal })) === "built") built.push(name);
            steps.delete(name);
          }
        };
        await Promise.all(Array.from({ length: imagesAtOnce }, lane));
      }
      await removeOldImages(images.map(({ imageName }) => imageName));
      const done = [
        ...(pulled.length > 0 ? [`pulled ${pulled.join(", ")}`] : []),
        ...(built.length > 0 ? [`built ${built.join(", ")}`] : []),
      ];
      return done.length === 0 ? "present" : done.join("; ");
    },
  };
}

export function pluginsPhase({ paths, prepared, onLine }: Surroundings): Phase {
  return {
    title: "Provider plugins",
    work: async (context: PhaseContext) => {
      prepared.plugins = await choosePlugins(paths, {
        ...context,
        command: prepared.cli!.command,
        target: prepared.configuration && targetOf(prepared.configuration.plain),
        onLine,
      });
      return prepared.plugins === "official"
        ? "official"
        : "this project's replacements (offline/plugins/), because this machine has no official plugins";
    },
  };
}
