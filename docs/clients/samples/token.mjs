// Logs in with user name and password, and logs in again a minute before the token expires.
let token = "";

export async function accessToken() {
  if (expiryOf(token) - 60_000 > Date.now()) return token;
  const response = await fetch(`${process.env.ROUTEQL_URL}/jwt/auth`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: process.env.ROUTEQL_USER, password: process.env.ROUTEQL_PASSWORD }),
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(`The login failed with status ${response.status}: ${reply.error}`);
  token = reply.access_token;
  return token;
}

// Milliseconds since 1970, from the token's claim `exp`.
function expiryOf(token) {
  if (token === "") return 0;
  return JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString()).exp * 1000;
}
