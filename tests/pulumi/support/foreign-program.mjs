// A Pulumi program outside of the checkout, which uses the installed package only. ROUTEQL_FOREIGN has its settings and the operation.
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { ComponentResource, interpolate } from "@pulumi/pulumi";
import { RandomId } from "@pulumi/random";
import { RouteQL } from "pulumi-routeql";

const { cli, providers, stackName, projectName, args, operation, remote } = JSON.parse(
  process.env.ROUTEQL_FOREIGN ?? "",
);

/** The component as a program in another language creates it: by its plugin, with a host name that a preview does not know. */
function constructRemotely() {
  const publicHost = interpolate`${new RandomId("host", { byteLength: 4 }).hex}.example.net`;
  const inputs = { ...args, gateway: { ...args.gateway, publicHost } };
  void new ComponentResource("routeql:index:RouteQL", "routes", inputs, {}, true);
  return {};
}

const program = async () => {
  if (remote) return constructRemotely();
  const { url, caCertificate, engineAccessKey } = new RouteQL("routes", args);
  return { url, caCertificate, engineAccessKey };
};
const stack = await LocalWorkspace.createOrSelectStack(
  { stackName, projectName, program },
  {
    workDir: import.meta.dirname,
    pulumiCommand: await PulumiCommand.get({ root: cli }),
    projectSettings: {
      name: projectName,
      runtime: "nodejs",
      backend: { url: `file://${import.meta.dirname}` },
      plugins: { providers },
    },
  },
);
const onOutput = (text) => void process.stderr.write(text);
const {
  summary,
  changeSummary = summary?.resourceChanges,
  outputs = {},
} = await stack[operation]({ color: "never", onOutput });
const values = Object.entries(outputs).map(([name, { value }]) => [name, value]);
console.log(JSON.stringify({ changes: changeSummary, outputs: Object.fromEntries(values) }));
