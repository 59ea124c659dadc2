/** Milliseconds between looks at whether the engine still runs. */
const watchInterval = 1000;

/** Whether the engine that started this process still runs. */
export function startedByEngine(): () => boolean {
  const engine = process.ppid;
  return () => process.ppid === engine;
}

/** Ends this plugin when its engine is gone: one that was killed cannot end its plugins. */
export function endWithEngine(engineRuns: () => boolean): void {
  setInterval(() => {
    if (!engineRuns()) process.exit(1);
  }, watchInterval).unref();
}
