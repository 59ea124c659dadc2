import { graphql } from "./generated/index.ts";

export const latestUpdates = graphql(`
  query LatestUpdates($limit: Int!) {
    view_bgpupdates(limit: $limit, order_by: { timestamp: desc }) {
      timestamp
      prefix
      origin_as
      as_path
    }
  }
`);
