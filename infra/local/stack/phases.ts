import { builtImages } from "../../images.ts";
import { ensureBases } from "../docker/base-images.ts";
import { ensureImage } from "../docker/build.ts";
import { removeOldImages } from "../docker/old-images.ts";
import { ensureEngine } from "../docker/engine.ts";
import type { Phase, PhaseContext } from "../foundation/phases.ts";
import type { StackPaths } from "../foundation/paths.ts";
import { choosePlugins, type PluginKind } from "../plugins/choice.ts";
import { acquireCli, type PulumiCli } from "../pulumi-cli/acquire.ts";
import { projectName, type StackConfiguration } from "./configuration.ts";
import { checkPorts } from "./ports.ts";

/** What the phases find out for those after them. */
export interface Prepared {
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

export function enginePhase({ onLine }: Surroundings): Phase {
  return { title: "Docker engine", work: async (context) => ensureEngine({ ...context, onLine }) };
}

export function portsPhase({ stack, prepared }: Surroundings): Phase {
  return {
    title: "Ports",
    work: async () => {
      const { plain } = prepared.configuration!;
      await checkPorts(stack, plain);
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

export function imagesPhase({ prepared, onLine }: Surroundings): Phase {
  return {
    title: "Images",
    work: async (context) => {
      const images = builtImages(prepared.configuration!.plain);
      const waiting = [...images];
      const steps = new Map<string, string>();
      const built: string[] = [];
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
      await removeOldImages(images.map(({ imageName }) => imageName));
      return built.length === 0 ? "present" : `built ${built.join(", ")}`;
    },
  };
}

export function pluginsPhase({ paths, prepared, onLine }: Surroundings): Phase {
  return {
    title: "Provider plugins",
    work: async (context: PhaseContext) => {
      prepared.plugins = await choosePlugins(paths, { ...context, command: prepared.cli!.command, onLine });
      return prepared.plugins === "official" ? "official" : "stand-ins of this project (infra/local/plugins)";
    },
  };
}
