import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { MAX_DEVICE_WATCH_TOKENS, MAX_ROOT_WATCH_TOKENS, watchTokenHash } from '@svc/protocol/chain/watch'
import { deviceOf } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { at, DAY_MS, rotated } from '../rotation/rotation.fixture.ts'
import { act, lookWith, newToken, register, tokensOf, withdraw } from './watch.fixture.ts'

const NOW = Date.UTC(2027, 3, 1)
const works = async (did: string, token: string) => 'devices' in (await lookWith(did, token))

afterEach(() => {
  vi.useRealTimers()
})

async function household() {
  at(NOW)
  const alice = await freshCaller()
  const { device } = await deviceOf(alice, { fetch: send, capabilities: [] })
  return { alice, phone: device, did: alice.identity.did }
}

describe('a watch token', () => {
  it('is made by the root key and by every device, and stored only as its hash', async () => {
    const { alice, phone, did } = await household()
    const [ofRoot, ofPhone] = [await register(alice.identity), await register(phone)]
    const made = { epoch: 0, madeAt: NOW, worksUntil: null }
    expect(await tokensOf(alice.identity)).toEqual([
      { tokenHash: watchTokenHash(ofRoot), madeBy: 'root', ...made },
      { tokenHash: watchTokenHash(ofPhone), madeBy: phone.deviceId, ...made },
    ])
    const stored = await runInDurableObject(env.IDENTITIES.getByName(did), ({ stored: { sql } }) =>
      JSON.stringify(sql.exec('SELECT * FROM facts').toArray()),
    )
    expect(stored).toContain(watchTokenHash(ofRoot))
    for (const token of [ofRoot, ofPhone]) expect(stored).not.toContain(token)
  })

  it('is the same token if its hash is sent again', async () => {
    const { alice } = await household()
    const token = await register(alice.identity)
    at(NOW + 1)
    await register(alice.identity, token)
    expect(await tokensOf(alice.identity)).toMatchObject([{ madeAt: NOW }])
  })

  it('works for 30 days after the root key first withdrew it', async () => {
    const { alice, phone, did } = await household()
    const token = await register(phone)
    const { data } = await withdraw(alice.identity, token)
    expect(data).toMatchObject({ madeBy: phone.deviceId, worksUntil: NOW + 30 * DAY_MS })
    at(NOW + 29 * DAY_MS)
    expect((await withdraw(alice.identity, token)).data).toMatchObject({ worksUntil: NOW + 30 * DAY_MS })
    at(NOW + 30 * DAY_MS - 1)
    expect(await works(did, token)).toBe(true)
    at(NOW + 30 * DAY_MS)
    expect(await works(did, token)).toBe(false)
    expect((await withdraw(alice.identity, token)).status).toBe(404)
  })

  it('is withdrawn by its own device, not by another', async () => {
    const { alice, phone } = await household()
    const [ofRoot, ofPhone] = [await register(alice.identity), await register(phone)]
    expect(await withdraw(phone, ofRoot)).toMatchObject({ status: 403 })
    expect(await withdraw(phone, ofPhone)).toMatchObject({ status: 200 })
    expect(await withdraw(alice.identity, newToken())).toMatchObject({ status: 404 })
  })

  it('ends 30 days after its device was revoked', async () => {
    const { alice, phone, did } = await household()
    const token = await register(phone)
    await alice.client.devices.suspend(phone.deviceId)
    at(NOW + DAY_MS)
    await alice.client.devices.revoke(phone.deviceId)
    at(NOW + 31 * DAY_MS - 1)
    expect(await works(did, token)).toBe(true)
    at(NOW + 31 * DAY_MS)
    expect(await works(did, token)).toBe(false)
  })

  it('of an expired device ends 30 days after another token was made', async () => {
    const { alice, did } = await household()
    const { device } = await deviceOf(alice, { fetch: send, capabilities: [], expiresAt: NOW + DAY_MS })
    const token = await register(device)
    at(NOW + 2 * DAY_MS)
    expect(await works(did, token)).toBe(true)
    await register(alice.identity)
    at(NOW + 32 * DAY_MS - 1)
    expect(await works(did, token)).toBe(true)
    at(NOW + 32 * DAY_MS)
    expect(await works(did, token)).toBe(false)
    expect(await tokensOf(alice.identity)).toMatchObject([{ madeBy: 'root', worksUntil: null }])
  })

  it('ends 30 days after its root key was replaced', async () => {
    const { alice, did } = await household()
    const token = await register(alice.identity)
    const { next } = await rotated(alice)
    at(NOW + 30 * DAY_MS - 1)
    expect(await works(did, token)).toBe(true)
    at(NOW + 30 * DAY_MS)
    expect(await works(did, token)).toBe(false)
    expect(await tokensOf(next.identity)).toEqual([])
  })
})

describe('the number of watch tokens', () => {
  it('is limited for each key, and includes withdrawn tokens that still work', async () => {
    const { alice, phone } = await household()
    const tokens = []
    for (let i = 0; i < MAX_ROOT_WATCH_TOKENS; i++) tokens.push(await register(alice.identity))
    const more = () => act(alice.identity, 'POST', '/api/chain/watch', { tokenHash: watchTokenHash(newToken()) })
    expect(await more()).toMatchObject({ status: 409, error: 'watch_limit' })
    await withdraw(alice.identity, tokens[0]!)
    expect(await more()).toMatchObject({ status: 409, error: 'watch_limit' })
    for (let i = 0; i < MAX_DEVICE_WATCH_TOKENS; i++) await register(phone)
    await expect(register(phone)).rejects.toThrow('watch_limit')
    at(NOW + 30 * DAY_MS)
    expect(await more()).toMatchObject({ status: 200 })
    expect(await tokensOf(alice.identity)).toHaveLength(MAX_ROOT_WATCH_TOKENS + MAX_DEVICE_WATCH_TOKENS)
  })

  it('allows a withdrawn token to be made again', async () => {
    const { phone } = await household()
    const token = await register(phone)
    for (let i = 1; i < MAX_DEVICE_WATCH_TOKENS; i++) await register(phone)
    await withdraw(phone, token)
    await register(phone, token)
  })

  it('starts again at zero with the next root key', async () => {
    const { alice } = await household()
    for (let i = 0; i < MAX_ROOT_WATCH_TOKENS; i++) await register(alice.identity)
    const { next } = await rotated(alice)
    await register(next.identity)
  })

  it('is not exceeded by twenty concurrent requests', async () => {
    const { alice } = await household()
    const made = await Promise.allSettled(Array.from({ length: 20 }, () => register(alice.identity)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_ROOT_WATCH_TOKENS)
  })
})
