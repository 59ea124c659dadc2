import type { SettingsProblem } from "./error.ts";
import type { GivenSettings, PlainSettings, SettingName } from "./list.ts";

const place = "together with another setting";

/** What is wrong with where the parts run, taken together. */
export function partProblems(given: GivenSettings, settings: PlainSettings): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const wrong = (name: SettingName, problem: string): void => void problems.push({ name, place, problem });
  for (const [part, url] of [
    ["database", "databaseUrl"],
    ["sessions", "sessionsUrl"],
  ] as const) {
    const external = settings[part] === "external";
    if (external && given[url] === undefined) wrong(url, `is missing, but ${part} is external`);
    if (!external && given[url] !== undefined) wrong(url, `is set, but ${part} is ${settings[part]}, not external`);
  }
  if (settings.databaseCaFile !== undefined && settings.database !== "external") {
    wrong("databaseCaFile", `is set, but database is ${settings.database}, not external`);
  }
  if (settings.sessionsCaFile !== undefined && settings.sessions !== "external") {
    wrong("sessionsCaFile", `is set, but sessions is ${settings.sessions}, not external`);
  }
  if (given.alertWebhookUrl !== undefined && settings.monitoring !== "stack") {
    wrong("alertWebhookUrl", `is set, but monitoring is ${settings.monitoring}, not stack`);
  }
  if (settings.database === "cloudnative-pg" && settings.target !== "kubernetes") {
    wrong("database", `is cloudnative-pg, but target is ${settings.target}, not kubernetes`);
  }
  return problems;
}
