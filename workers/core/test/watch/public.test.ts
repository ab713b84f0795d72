import { WATCH_HEADER } from '@svc/protocol/chain/watch'
import { deviceOf, type TestCaller, type TestDevice } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CORE, freshCaller, send } from '../harness.ts'
import { at, DAY_MS } from '../rotation/rotation.fixture.ts'
import { newToken, register, seen, statementsOf, withdraw } from './watch.fixture.ts'

const NOW = Date.UTC(2027, 3, 1)

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Acts that change the devices, in this order. */
const HAPPENINGS: [string, (alice: TestCaller, phone: () => TestDevice) => Promise<unknown>][] = [
  ['an attestation', (alice) => deviceOf(alice, { fetch: send, capabilities: ['rotation:cosign'] })],
  ['a token of a device', (_, phone) => register(phone().device)],
  ['a token of the root key', (alice) => register(alice.identity)],
  [
    'the loss of the right to co-sign',
    ({ client }, phone) => client.devices.change(phone().device.deviceId, { event: 'capabilities', capabilities: [] }),
  ],
  ['a suspension', ({ client }, phone) => client.devices.suspend(phone().device.deviceId)],
  ['a revocation', ({ client }, phone) => client.devices.revoke(phone().device.deviceId)],
]

/** Callers who may not see the devices, by what they send. */
type Headers = Record<string, string>
const STRANGERS: [string, (did: string, withdrawn: string) => Promise<Headers>][] = [
  ['nothing', async () => ({})],
  ['an unknown token', async () => ({ [WATCH_HEADER]: newToken() })],
  ['the token of another identity', async () => ({ [WATCH_HEADER]: await register((await freshCaller()).identity) })],
  ['a token that has ended', async (_, withdrawn) => ({ [WATCH_HEADER]: withdrawn })],
  ['an empty token', async () => ({ [WATCH_HEADER]: '' })],
  ['a token that is too short', async () => ({ [WATCH_HEADER]: newToken().slice(1) })],
  ['a token with something behind it', async (_, withdrawn) => ({ [WATCH_HEADER]: `${withdrawn}, ${withdrawn}` })],
  ['no assertion', async () => ({ authorization: 'ServiceAssertion x.y' })],
  [
    'the assertion of another identity',
    async (did) => {
      const { identity } = await freshCaller()
      const request = { audience: 'chain', method: 'GET', url: `${CORE}/api/chain/root/${did}`, now: Date.now() }
      return { authorization: await identity.assertion(request) }
    },
  ],
]

describe('the public answer about the root', () => {
  it.each(STRANGERS)('and the steps to it do not depend on the devices, for %s', async (_, sent) => {
    at(NOW - 31 * DAY_MS)
    const alice = await freshCaller()
    const { did } = alice.identity
    const withdrawn = await register(alice.identity)
    await withdraw(alice.identity, withdrawn)
    at(NOW)
    const statements = await statementsOf(did)
    const reading = async () => {
      const headers = await sent(did, withdrawn)
      statements.length = 0
      return { answer: await seen(did, headers), statements: [...statements] }
    }
    const before = await reading()
    expect(before.answer.status).toBe(200)
    expect(before.statements.length).toBeGreaterThan(2)
    expect(before.answer.text).not.toMatch(/devices|changes/)
    let phone: TestDevice | undefined
    for (const [name, happen] of HAPPENINGS) {
      const happened = await happen(alice, () => phone!)
      if (name === 'an attestation') phone = happened as TestDevice
      expect(await reading(), name).toEqual(before)
    }
  })

  it('has the same bytes for all who may not see the devices', async () => {
    at(NOW)
    const alice = await freshCaller()
    const { did } = alice.identity
    await deviceOf(alice, { fetch: send, capabilities: [] })
    const answers = await Promise.all(STRANGERS.map(async ([, headers]) => seen(did, await headers(did, newToken()))))
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })
})
