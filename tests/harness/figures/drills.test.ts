import { expect, test } from "vitest";
import { latestDrills } from "./drills.ts";

test("keeps a recorded drill that is later than the measured one", () => {
  const recorded = { Docker: { year: { figure: "2", on: "2026-05-05" }, tls: { figure: "2", on: "2026-05-04" } } };
  const measured = {
    Docker: { year: { figure: "1", on: "2026-05-04" }, tls: { figure: "3", on: "2026-05-04" } },
    Kubernetes: { tls: { figure: "4", on: "2026-05-03" } },
  };
  expect(latestDrills(recorded, measured)).toEqual({
    Docker: { year: recorded.Docker.year, tls: measured.Docker.tls },
    Kubernetes: measured.Kubernetes,
  });
});
