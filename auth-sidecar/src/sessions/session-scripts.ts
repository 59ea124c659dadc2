/**
 * Atomic session operations, on Redis' own clock, which all replicas share.
 *
 * Keys: `session:<digest>` is a hash {user, created, used} (milliseconds since the epoch), kept until the earlier limit;
 * `user-sessions:<user id>` is a sorted set of digests, scored by the time of their absolute limit.
 */

const now = `local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format("%.0f", number) end
local function remove(digest)
  local owner = redis.call("HGET", "session:" .. digest, "user")
  if not owner then return false end
  redis.call("DEL", "session:" .. digest)
  redis.call("ZREM", "user-sessions:" .. owner, digest)
  return owner
end
`;

/** KEYS: session, index. ARGV: digest, user id, idle ms, absolute ms, digest of the session it replaces or "". */
export const createSession = `${now}
if ARGV[5] ~= "" then remove(ARGV[5]) end
local idle, absolute = tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call("HSET", KEYS[1], "user", ARGV[2], "created", text(now), "used", text(now))
redis.call("PEXPIRE", KEYS[1], text(math.min(idle, absolute)))
redis.call("ZREMRANGEBYSCORE", KEYS[2], "-inf", text(now))
redis.call("ZADD", KEYS[2], text(now + absolute), ARGV[1])
redis.call("PEXPIRE", KEYS[2], text(absolute))
return 1`;

/** KEYS: sessions. ARGV: idle ms, absolute ms, digest of each. Returns for each the user's id, or nil outside its limits. */
export const useSessions = `${now}
local idle, absolute = tonumber(ARGV[1]), tonumber(ARGV[2])
local function use(key, digest)
  local session = redis.call("HMGET", key, "user", "created", "used")
  if not session[1] then return false end
  local remaining = session[2] + absolute - now
  if remaining <= 0 or now - session[3] >= idle then
    remove(digest)
    return false
  end
  redis.call("HSET", key, "used", text(now))
  redis.call("PEXPIRE", key, text(math.min(idle, remaining)))
  return session[1]
end
local users = {}
for index, key in ipairs(KEYS) do users[index] = use(key, ARGV[index + 2]) end
return users`;

/** KEYS: session. ARGV: digest. Returns the user's id, or nil. */
export const endSession = `${now}
return remove(ARGV[1])`;

/** KEYS: index. Returns the number of ended sessions. */
export const endSessions = `
local digests = redis.call("ZRANGE", KEYS[1], 0, -1)
local ended = 0
for _, digest in ipairs(digests) do ended = ended + redis.call("DEL", "session:" .. digest) end
redis.call("DEL", KEYS[1])
return ended`;

/** KEYS: index. Returns creation time and last use of each active session. */
export const listSessions = `
local found = {}
for _, digest in ipairs(redis.call("ZRANGE", KEYS[1], 0, -1)) do
  local session = redis.call("HMGET", "session:" .. digest, "created", "used")
  if session[1] then found[#found + 1] = {session[1], session[2]} end
end
return found`;
