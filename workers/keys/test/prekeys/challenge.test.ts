import { makeContactPass } from '@svc/client/functions'
import type { ReservedPrekey } from '@svc/protocol/keys/directory'
import { expectRefusal } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { publishedDevice, reserve } from '../directory/directory.fixture.ts'
import { caller, dataOf } from '../harness.ts'
import { reservedBefore } from './reserved-before.fixture.ts'

const PASS = { contactPassB64u: makeContactPass() }
const TOKEN = { challengeToken: 'XXXX.DUMMY.TOKEN.XXXX' }

let friend: TestCaller
let stranger: TestCaller
beforeAll(async () => {
  friend = await caller()
  stranger = await caller()
}, 30_000)

async function challenging(count: number) {
  const owner = await caller()
  await owner.client.keyDirectory.configure({
    reserve: 'challenge',
    contacts: [{ did: friend.identity.did, passB64u: PASS.contactPassB64u }],
  })
  return publishedDevice(owner, { count })
}

describe('an account that asks strangers for a challenge', () => {
  it('serves a stranger who passes it, and a contact without', async () => {
    const device = await challenging(4)
    expectRefusal(await reserve(stranger, device, 'k'), 'challenge_required')
    expectRefusal(await reserve(stranger, device, 'k', { challengeToken: 'made up' }), 'challenge_failed')
    const served = dataOf<ReservedPrekey>(await reserve(stranger, device, 'k', TOKEN))
    expect(served.usedFallback).toBe(false)
    dataOf(await reserve(friend, device, 'k', PASS))
  })

  it('asks for nothing when a reservation is repeated, with whatever token', async () => {
    const device = await challenging(4)
    const first = dataOf(await reserve(stranger, device, 'k', TOKEN))
    for (const asked of [{}, TOKEN, { challengeToken: 'spent by now' }]) {
      expect(dataOf(await reserve(stranger, device, 'k', asked))).toEqual(first)
    }
  })

  it('keeps the share of its contacts all the same', async () => {
    const device = await challenging(4)
    for (let i = 0; i < 3; i++) dataOf(await reserve(stranger, device, `k${i}`, TOKEN))
    expectRefusal(await reserve(stranger, device, 'k3', TOKEN), 'prekeys_exhausted')
    dataOf(await reserve(friend, device, 'k', PASS))
  })

  it('serves those who pass it though others have used up the day, and twenty at once only so far', async () => {
    const device = await challenging(12)
    await reservedBefore(device.owner, 'stranger')
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => reserve(stranger, device, `k${i}`, TOKEN)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9)
    await reservedBefore(device.owner, 'challenged')
    expectRefusal(await reserve(stranger, device, 'more', TOKEN), 'reservation_limit')
    dataOf(await reserve(friend, device, 'k', PASS))
  })

  it('is passed through the SDK', async () => {
    const device = await challenging(4)
    const at = [device.owner.identity.did, device.device.deviceId] as const
    await expect(stranger.client.keyDirectory.reserve(...at)).rejects.toMatchObject({ error: 'challenge_required' })
    expect((await stranger.client.keyDirectory.reserve(...at, TOKEN)).usedFallback).toBe(false)
  })

  it.each<[string, object, Parameters<typeof expectRefusal>[1]]>([
    ['always fails', { TURNSTILE_SECRET: '2x0000000000000000000000000000000AA' }, 'challenge_failed'],
    ['was spent', { TURNSTILE_SECRET: '3x0000000000000000000000000000000AA' }, 'challenge_failed'],
    ['nobody can check', { TURNSTILE_SECRET: undefined }, 'dependency_unavailable'],
    ['is for tests, once deployed', { ENVIRONMENT: 'production' }, 'dependency_unavailable'],
  ])('serves no stranger with a token that %s', async (_, replaced, error) => {
    const device = await challenging(2)
    expectRefusal(await reserve(stranger, device, 'k', TOKEN, { replaced }), error)
    dataOf(await reserve(friend, device, 'k', PASS, { replaced }))
  })
})

describe('an account that does not ask for one', () => {
  it('looks at no token', async () => {
    const device = await publishedDevice(await caller())
    const replaced = { TURNSTILE_SECRET: undefined }
    dataOf(await reserve(stranger, device, 'k', { challengeToken: 'made up' }, { replaced }))
  })
})
