import { Deployment, StatefulSet } from "@pulumi/kubernetes/apps/v1/index.js";
import { Job } from "@pulumi/kubernetes/batch/v1/index.js";
import { ConfigMap, Namespace, Secret, Service } from "@pulumi/kubernetes/core/v1/index.js";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { secret } from "@pulumi/pulumi";
import { RandomPassword } from "@pulumi/random";
import { dnsImage, pauseImage } from "../../kubernetes-node/layout.ts";

/** Values that a test changes between updates. */
export interface Variation {
  readonly replicas?: number;
  readonly text?: string;
  readonly image?: string;
  /** Arguments of the job's program, which is CoreDNS: `-version` succeeds, an unknown file fails. */
  readonly jobArguments?: readonly string[];
  readonly storage?: string;
  /** Wait time for the Deployment. */
  readonly seconds?: number;
}

/** Objects of every kind with its own life cycle: eight of them in a namespace, with a generated password in a Secret. */
export function smallProgram(
  namespace: string,
  {
    replicas = 1,
    text = "a",
    image = pauseImage,
    jobArguments = ["-version"],
    storage = "1Gi",
    seconds = 120,
  }: Variation = {},
): PulumiFn {
  return async () => {
    const space = new Namespace("space", { metadata: { name: namespace } });
    const scope = { namespace: space.metadata.name };
    const password = new RandomPassword("word", { length: 20, special: false });
    const held = new Secret("held", { metadata: { ...scope, name: "held" }, stringData: { word: password.result } });
    const open = new ConfigMap("open", { metadata: { ...scope }, data: { text } });
    const selector = { app: "service" };
    const deployment = new Deployment("service", {
      metadata: { ...scope, name: "service", annotations: { "pulumi.com/timeoutSeconds": String(seconds) } },
      spec: {
        replicas,
        selector: { matchLabels: selector },
        template: {
          metadata: { labels: selector },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                name: "pause",
                image,
                imagePullPolicy: "Never",
                resources: { limits: { cpu: "1000m", memory: "32Mi" }, requests: { cpu: "0.001" } },
                env: [{ name: "SECRET_BY_MISTAKE", value: secret("between-us") }],
                volumeMounts: [{ name: "open", mountPath: "/open" }],
              },
            ],
            volumes: [{ name: "open", configMap: { name: open.metadata.name } }],
          },
        },
      },
    });
    const service = new Service(
      "front",
      { metadata: { ...scope, name: "front" }, spec: { selector, ports: [{ port: 80 }] } },
      { dependsOn: [deployment] },
    );
    const set = new StatefulSet("data", {
      metadata: { ...scope, name: "data" },
      spec: {
        serviceName: "data",
        selector: { matchLabels: { app: "data" } },
        template: {
          metadata: { labels: { app: "data" } },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                name: "pause",
                image: pauseImage,
                imagePullPolicy: "Never",
                volumeMounts: [{ name: "data", mountPath: "/data" }],
              },
            ],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
          },
        ],
      },
    });
    const job = new Job("once", {
      metadata: { ...scope, name: "once" },
      spec: {
        backoffLimit: 0,
        template: {
          spec: {
            restartPolicy: "Never",
            containers: [{ name: "once", image: dnsImage, imagePullPolicy: "Never", args: [...jobArguments] }],
          },
        },
      },
    });
    return {
      map: open.metadata.name,
      address: service.spec.clusterIP,
      word: held.stringData["word"]!,
      set: set.metadata.name,
      job: job.metadata.name,
    };
  };
}

/** The stack itself, the password and the objects of the cluster. */
export const everything = 9;
