/** Milliseconds between looks at whether the engine still runs. */
const watchInterval = 1000;

/** Ends this plugin when the engine that started it is gone: one that was killed cannot end its plugins. */
export function endWithEngine(): void {
  const engine = process.ppid;
  setInterval(() => {
    if (process.ppid !== engine) process.exit(1);
  }, watchInterval).unref();
}
