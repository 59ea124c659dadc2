"""Python gql: checks queries against the schema, then queries over HTTP and subscribes over WebSocket."""
import asyncio
import os
import ssl

import httpx
from gql import Client, gql
from gql.transport.httpx import HTTPXAsyncTransport
from gql.transport.websockets import WebsocketsTransport

URL = os.environ["ROUTEQL_URL"]
TLS = ssl.create_default_context(cafile=os.environ.get("ROUTEQL_CA_FILE"))


def authorization() -> dict[str, str]:
    user = {"username": os.environ["ROUTEQL_USER"], "password": os.environ["ROUTEQL_PASSWORD"]}
    reply = httpx.post(f"{URL}/jwt/auth", json=user, verify=TLS)
    reply.raise_for_status()
    return {"Authorization": f"Bearer {reply.json()['access_token']}"}


async def main() -> None:
    headers = authorization()
    http = HTTPXAsyncTransport(url=f"{URL}/api/graphql", headers=headers, verify=TLS)
    # Hasura's introspection has no deprecated arguments.
    schema = {"introspection_args": {"input_value_deprecation": False}, "fetch_schema_from_transport": True}
    async with Client(transport=http, **schema) as session:
        result = await session.execute(gql("{ view_hijacks(limit: 3, order_by: {time_last: desc}) { key prefix } }"))
        print("query", result["view_hijacks"])

    sockets = WebsocketsTransport(
        url=f"{URL.replace('http', 'ws', 1)}/api/graphql", init_payload={"headers": headers}, ssl=TLS
    )
    async with Client(transport=sockets) as session:
        query = gql("subscription { view_bgpupdates(limit: 1, order_by: {timestamp: desc}) { timestamp prefix } }")
        async for result in session.subscribe(query):
            print("subscription", result["view_bgpupdates"], flush=True)


asyncio.run(main())
