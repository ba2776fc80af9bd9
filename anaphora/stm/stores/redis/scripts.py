"""The atomic operations of the Redis store, as Lua scripts.

All scripts are idempotent: one whose answer was lost can run again, changes nothing more and
returns the same. Redis refuses a script (no memory, no disk, a replica) at its first write and
none of the later ones, so that a script changes everything or nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha1

__all__ = [
    "ACQUIRE",
    "COMMIT",
    "COUNT_QUARANTINED",
    "PUT_NOTE",
    "QUARANTINE",
    "RELEASE",
    "RENEW",
    "STAGE",
    "UNDO",
    "Script",
]


@dataclass(frozen=True, slots=True)
class Script:
    """A script with the digest by which Redis caches it."""

    text: str
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()
        object.__setattr__(self, "digest", digest)


# The first client that fails to get the lock is next; otherwise the one that polls most often
# would always win. Without permission to ask for the time, it is {0, 0}.
# Returns {1, record, time, milliseconds until the record expires} to the client that gets the
# lock, {0, 1, 0, 0} to the next one, {0, 0, 0, 0} to others.
ACQUIRE = Script("""
local lock, record, queue = KEYS[1], KEYS[2], KEYS[3]
local token, lease, patience = ARGV[1], ARGV[2], ARGV[3]
local holder = redis.call('GET', lock)
if holder ~= token then
  local following = redis.call('GET', queue)
  if following and following ~= token then
    return {0, 0, 0, 0}
  end
  if holder then
    redis.call('SET', queue, token, 'PX', patience)
    return {0, 1, 0, 0}
  end
end
local found = redis.call('GET', record)
local ttl = redis.call('PTTL', record)
redis.call('SET', lock, token, 'PX', lease)
redis.call('DEL', queue)
local time = redis.pcall('TIME')
return {1, found, time.err and {0, 0} or time, ttl}
""")

# An empty record deletes the key. Returns 1 if the commit succeeded, now or in an earlier run.
COMMIT = Script("""
local lock, record, done = KEYS[1], KEYS[2], KEYS[3]
local token, text, ttl, known = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('GET', lock) ~= token then
  return redis.call('EXISTS', done)
end
if text == '' then
  redis.call('DEL', record)
else
  redis.call('SET', record, text, 'PX', ttl)
end
redis.call('SET', done, '', 'PX', known)
redis.call('DEL', lock)
return 1
""")

# As COMMIT, but keeps the lock until replicas have confirmed the record: UNDO can take it back.
# Writes also if it runs again, because the server waits for the replicas after the latest write.
STAGE = Script("""
local lock, record, done = KEYS[1], KEYS[2], KEYS[3]
local token, text, ttl, known = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if redis.call('GET', lock) ~= token then
  return redis.call('PEXPIRE', done, known)
end
if text == '' then
  redis.call('DEL', record)
else
  redis.call('SET', record, text, 'PX', ttl)
end
redis.call('SET', done, '', 'PX', known)
return 1
""")

# Restores the record that STAGE has replaced, '' for none; a ttl of 0 is none. Returns 1 if nothing
# is left of the commit, now or in an earlier run. Writes also if it runs again, for the replicas.
UNDO = Script("""
local lock, record, done = KEYS[1], KEYS[2], KEYS[3]
local token, text, ttl = ARGV[1], ARGV[2], ARGV[3]
if redis.call('GET', lock) ~= token then
  if redis.call('EXISTS', done) == 1 then
    return 0
  end
  redis.call('SET', done, '')
  redis.call('DEL', done)
  return 1
end
if text == '' then
  redis.call('DEL', record)
elseif ttl == '0' then
  redis.call('SET', record, text)
else
  redis.call('SET', record, text, 'PX', ttl)
end
redis.call('DEL', done, lock)
return 1
""")

RELEASE = Script("""
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then
    redis.call('DEL', key)
  end
end
""")

# Returns 1 if the lock is still held.
RENEW = Script("""
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
""")

# A namespace lives as long as its longest-lived note.
PUT_NOTE = Script("""
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
""")

# Writes the index first: without permission for it, no record is left outside the index. The index
# lives as long as its longest-lived record. Returns 1 if the record is new.
QUARANTINE = Script("""
local index, record = KEYS[1], KEYS[2]
local id, text, ttl, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local is_new = redis.call('ZADD', index, 'NX', string.format('%.0f', now + ttl), id)
redis.call('SET', record, text, 'PX', ttl, 'NX')
redis.call('ZREMRANGEBYSCORE', index, '-inf', '(' .. now)
if redis.call('PTTL', index) < tonumber(ttl) then
  redis.call('PEXPIRE', index, ttl)
end
return is_new
""")

# Uses the server's time, or the client's if its user has no permission to ask for it.
COUNT_QUARANTINED = Script("""
local time = redis.pcall('TIME')
local now = ARGV[1]
if not time.err then
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
return redis.call('ZCOUNT', KEYS[1], now, '+inf')
""")
