import { expect, test } from "vitest";
import { outdatedNames } from "./old-images.ts";

const now = Date.parse("2026-02-03T00:00:00Z");
const created = (hoursAgo: number, ...names: string[]): { RepoTags: string[]; Created: number } => ({
  RepoTags: names,
  Created: now / 1000 - hoursAgo * 3600,
});

test("only unused images of earlier contents, older than a day, are outdated", () => {
  const images = [
    created(30, "routeql/engine:0123456789ab"),
    created(30, "routeql/engine:aaaaaaaaaaaa"),
    created(3, "routeql/engine:bbbbbbbbbbbb"),
    created(300, "routeql/node:24.21.0", "debian:trixie-slim", "other/engine:0123456789ab"),
    { RepoTags: null, Created: 0 },
  ];
  expect(outdatedNames(images, new Set(["routeql/engine:aaaaaaaaaaaa"]), now)).toEqual(["routeql/engine:0123456789ab"]);
});
