// A Pulumi program outside of the checkout, which uses the installed package only. ROUTEQL_FOREIGN has its settings and the operation.
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { RouteQL } from "pulumi-routeql";

const { cli, providers, stackName, args, operation } = JSON.parse(process.env.ROUTEQL_FOREIGN ?? "");
const program = async () => {
  const { url, caCertificate, engineAccessKey } = new RouteQL("routes", args);
  return { url, caCertificate, engineAccessKey };
};
const stack = await LocalWorkspace.createOrSelectStack(
  { stackName, projectName: "shop", program },
  {
    workDir: import.meta.dirname,
    pulumiCommand: await PulumiCommand.get({ root: cli }),
    projectSettings: {
      name: "shop",
      runtime: "nodejs",
      backend: { url: `file://${import.meta.dirname}` },
      plugins: { providers },
    },
  },
);
const onOutput = (text) => void process.stderr.write(text);
const { summary, outputs = {} } = await stack[operation]({ color: "never", onOutput });
const values = Object.entries(outputs).map(([name, { value }]) => [name, value]);
console.log(JSON.stringify({ changes: summary?.resourceChanges, outputs: Object.fromEntries(values) }));
