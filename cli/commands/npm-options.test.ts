import { readdirSync } from "node:fs";
import { optionsOfCommands } from "@routeql/database-access/command-line";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Command, helpText } from "../foundation/command.ts";

test("the options that npm can take are those of all commands", async () => {
  const files = readdirSync(import.meta.dirname).filter((name) => /^[a-z-]+\.ts$/.test(name));
  const modules = await Promise.all(
    files.map(async (name) => (await import(/* @vite-ignore */ `./${name}`)) as Record<string, unknown>),
  );
  const commands = modules.flatMap((module) =>
    Object.values(module).filter((each): each is Command => typeof each === "object" && each !== null && "run" in each),
  );
  expect(commands.length).toBeGreaterThan(20);
  const texts = commands.map(({ description }) => helpText(description));
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => texts.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  for (const { help } of commands) await help?.();
  write.mockRestore();
  const found = [...texts.join("\n").matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name = ""]) => name);
  // `npm run --silent` is npm's own.
  const ours = [...new Set(found)].filter((name) => name !== "help" && name !== "silent");
  expect(optionsOfCommands).toEqual(ours.toSorted());
});
