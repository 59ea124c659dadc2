import { builtImages, pulledImages } from "../../images.ts";
import type { BuiltImage } from "../../images.ts";
import { ensureBases } from "../docker/base-images.ts";
import { ensureImage, imageExists } from "../docker/build.ts";
import { removeOldImages } from "../docker/old-images.ts";
import { ensureEngine } from "../docker/engine.ts";
import { pullImage } from "../docker/pull.ts";
import type { Phase, PhaseContext } from "../foundation/phases.ts";
import type { StackPaths } from "../foundation/paths.ts";
import { connectCluster, type Connection } from "../kubernetes/connect.ts";
import { type Place, placeFor, placeOf, refuseOnDocker, refuseOtherCluster } from "../kubernetes/place.ts";
import { choosePlugins, type PluginKind } from "../plugins/choice.ts";
import { acquireCli, type PulumiCli } from "../pulumi-cli/acquire.ts";
import { projectName, type StackConfiguration, targetOf } from "./configuration.ts";
import { chooseImages, describeChoice, keepChoice, readChoice, withChoice } from "./image-choice.ts";
import { checkPorts } from "./ports.ts";

/** What the phases find out for those after them. */
export interface Prepared {
  /** Where the stack is to run on Kubernetes. */
  place?: Place;
  connection?: Connection;
  cli?: PulumiCli;
  plugins?: PluginKind;
  configuration?: StackConfiguration;
}

interface Surroundings {
  readonly stack: string;
  readonly paths: StackPaths;
  readonly prepared: Prepared;
  /** Every line that the programs started print. */
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

/** Finds the cluster that kubectl would use. */
export function clusterPhase({ stack, prepared }: Surroundings): Phase {
  return {
    title: "Kubernetes cluster",
    work: async ({ signal }) => {
      const connection = await connectCluster(signal);
      refuseOtherCluster(stack, await placeOf(stack), connection);
      prepared.connection = connection;
      if (prepared.configuration) prepared.place = placeFor(stack, prepared.configuration.plain, connection.server);
      return `${connection.version} at ${connection.server}`;
    },
  };
}

/** Copies the images of this machine to the nodes, where the caller knows how; else says that they have to be there. */
export function deliveryPhase({ prepared, onLine }: Surroundings, deliver?: (images: readonly string[]) => Promise<void>): Phase {
  return {
    title: "Images on the nodes",
    work: async () => {
      const { plain } = prepared.configuration!;
      const images = [...builtImages(plain), ...pulledImages(plain)].map(({ imageName }) => imageName);
      if (!deliver) {
        for (const image of images) onLine(`has to be on the nodes: ${image}`);
        return "expected there: load them (kind load docker-image, minikube image load, ctr images import), or set imageRegistry and pushImages";
      }
      await deliver(images);
      return `${images.length} images`;
    },
  };
}

export function enginePhase({ onLine }: Surroundings): Phase {
  return { title: "Docker engine", work: async (context) => ensureEngine({ ...context, onLine }) };
}

/** @param keeps whether the choice is made for good, as when the stack is about to be made */
export function choicePhase(keeps: boolean): (surroundings: Surroundings) => Phase {
  return ({ stack, paths, prepared }) => ({
    title: "Engine and images",
    work: async () => {
      const configuration = prepared.configuration!;
      if (targetOf(configuration.plain) === "docker") await refuseOnDocker(stack);
      const choice = await chooseImages(configuration, await readChoice(paths));
      if (keeps) await keepChoice(paths, choice);
      prepared.configuration = withChoice(configuration, choice);
      return describeChoice(choice, prepared.configuration);
    },
  });
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

export function basesPhase({ prepared, onLine }: Surroundings): Phase {
  return {
    title: "Base images",
    work: async (context) => {
      const { given, plain, entries } = prepared.configuration!;
      const bases = await ensureBases(plain, given.nodeBase === undefined, { ...context, onLine });
      prepared.configuration = {
        given,
        plain: { ...plain, ...bases },
        // The program computes the images' names from the same bases.
        entries: bases.nodeBase === plain.nodeBase ? entries : { ...entries, [`${projectName}:nodeBase`]: bases.nodeBase },
      };
      return bases.origin;
    },
  };
}

/** In rounds: an image that starts from another comes after it. */
function rounds(images: readonly BuiltImage[]): readonly BuiltImage[][] {
  const names = new Set(images.map(({ imageName }) => imageName));
  const startsFromOne = ({ args }: BuiltImage): boolean => Object.values(args).some((reference) => names.has(reference));
  return [images.filter((image) => !startsFromOne(image)), images.filter(startsFromOne)];
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
      for (const { imageName } of pulledImages(plain)) {
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
      return prepared.plugins === "official" ? "official" : "stand-ins of this project (infra/local/plugins)";
    },
  };
}
