import type { VerifiedAssertion } from '@svc/assertion'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { InternalClient } from '../internal/internal.ts'
import { SiblingGate } from './sibling-gate.ts'

const NOW = 1_790_000_000_000
const DEVICE_KEY = 'A'.repeat(2603)
const ROOT_KEY = `B${'A'.repeat(2602)}`
const SCOPE = 'a7'.repeat(48)
const DID = `did:svc:${'p6en'.repeat(8)}`
const DEVICE_ID = 'PDw8'.repeat(8)

const USER_ID = 'b8'.repeat(48)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Core's answer to a spent assertion of the device, and of the root key. */
const ofOwner = { userId: USER_ID, did: DID, scope: SCOPE, epoch: 2, publicKeyB64u: ROOT_KEY }
const ofRoot = { userId: SCOPE, did: DID, scope: SCOPE, epoch: 0, publicKeyB64u: ROOT_KEY }

const record = {
  deviceId: DEVICE_ID,
  did: DID,
  scope: SCOPE,
  userId: USER_ID,
  publicKeyB64u: DEVICE_KEY,
  rootEpoch: 2,
  currentEpoch: 2,
  rootPublicKeyB64u: ROOT_KEY,
  origin: 'app:notes',
  capabilities: ['account:read', 'chain:read'],
  expiresAt: null,
  status: 'active',
}

const byDevice: VerifiedAssertion = {
  userId: USER_ID,
  keyDid: DID,
  publicKeyB64u: DEVICE_KEY,
  signer: `dev:${DEVICE_ID}`,
  device: { deviceId: DEVICE_ID, scope: SCOPE, origin: 'app:notes', rootEpoch: 2, capabilities: ['chain:read'] },
  requiredCapability: 'chain:read',
  nonce: 'n-1',
  keepUntil: NOW + 60_000,
}
const byRoot: VerifiedAssertion = {
  ...byDevice,
  userId: SCOPE,
  publicKeyB64u: ROOT_KEY,
  signer: SCOPE,
  device: null,
  requiredCapability: 'root',
}

const refusing = (status: number, error: unknown) => Response.json({ success: false, error }, { status })

/** A gate before a core that answers as told. */
function gateBefore(answer: () => Response) {
  const asked: string[] = []
  const sent: unknown[] = []
  const binding = {
    fetch: async (url: string, { method, body }: { method: string; body?: string }) => {
      asked.push(`${method} ${url.replace('https://internal', '')}`)
      if (body !== undefined) sent.push(JSON.parse(body))
      return answer()
    },
  } as unknown as Fetcher
  const gate = new SiblingGate(new InternalClient(binding, { current: 'secret-of-the-tests' }))
  return { gate, asked, sent }
}

const SPEND = 'POST /api/internal/assertion/spend'
const UNAVAILABLE = { ok: false, error: { reason: 'unavailable', dependency: 'core' } }

/** What says nothing about a key. */
const NO_ANSWERS: readonly [string, () => Response][] = [
  ['fails', () => refusing(500, 'internal_error')],
  ['fails with the name of a refusal', () => refusing(503, 'not_found')],
  ['does not know the caller', () => refusing(403, 'forbidden')],
  ['finds the request wrong', () => refusing(400, 'invalid_request')],
  ['names nothing', () => refusing(404, 404)],
  ['says nothing', () => Response.json({})],
  ['leaves the epoch out', () => Response.json({ ...ofOwner, epoch: undefined })],
  ['adds a member', () => Response.json({ ...ofOwner, verified: true })],
  ['answers with the record of a device', () => Response.json(record)],
  ['is gone', () => Promise.reject(new Error('gone')) as unknown as Response],
]

describe('a device at the gate of a sibling', () => {
  it('is checked and spent in one call, with all that it claims', async () => {
    const { gate, asked, sent } = gateBefore(() => Response.json(ofOwner))
    expect(await gate.spend(byDevice)).toEqual({
      ok: true,
      value: {
        ...ofOwner,
        // What it claims, and not all that it was given.
        device: { deviceId: DEVICE_ID, publicKeyB64u: DEVICE_KEY, capabilities: ['chain:read'] },
      },
    })
    expect(asked).toEqual([SPEND])
    const { userId, nonce, device } = byDevice
    const claims = { ...device, publicKeyB64u: DEVICE_KEY }
    expect(sent).toEqual([{ userId, nonce, keepMs: 60_000, device: claims }])
  })

  it('may not do what it has no capability for, and has spent its nonce when it is told', async () => {
    const { gate, asked } = gateBefore(() => Response.json(ofOwner))
    for (const requiredCapability of ['account:read', 'root'] as const) {
      const refused = await gate.spend({ ...byDevice, requiredCapability })
      expect(refused).toEqual({ ok: false, error: { reason: 'capability' } })
    }
    expect(asked).toEqual([SPEND, SPEND])
    expect((await gate.spend({ ...byDevice, requiredCapability: 'any' })).ok).toBe(true)
  })

  it.each([
    ['device_keys_disabled', 403, 'device_keys_disabled'],
    ['device_index_unavailable', 503, 'device_index_unavailable'],
    ['attestation_unverifiable', 403, 'attestation_unverifiable'],
    ['did_deactivated', 409, 'deactivated'],
    ['not_found', 404, 'unknown_device'],
    ['unauthorized', 401, 'device_refused'],
    ['assertion_replay', 401, 'replay'],
    ['assertion_expired', 401, 'expired'],
  ])('is refused when core says %s', async (error, status, reason) => {
    const { gate } = gateBefore(() => refusing(status, error))
    const any = { ...byDevice, requiredCapability: 'root' as const }
    expect(await gate.spend(any)).toEqual({ ok: false, error: { reason } })
  })

  it.each<[string, () => Response]>([
    ...NO_ANSWERS,
    ...Object.entries({ userId: SCOPE, did: `did:svc:${'A'.repeat(32)}`, scope: 'c9'.repeat(48), epoch: 1 }).map(
      ([name, value]): [string, () => Response] => [
        `answers about another ${name}`,
        () => Response.json({ ...ofOwner, [name]: value }),
      ],
    ),
  ])('is not let through when core %s', async (_, answer) => {
    const { gate } = gateBefore(answer)
    expect(await gate.spend(byDevice)).toEqual(UNAVAILABLE)
  })
})

describe('a device before its body is read', () => {
  const path = `/api/internal/device/${DEVICE_ID}?did=${DID}`

  it('is looked up at the primary for a mutation, and where a cache may answer for anything else', async () => {
    const { gate, asked } = gateBefore(() => Response.json(record))
    const device = { deviceId: DEVICE_ID, publicKeyB64u: DEVICE_KEY, capabilities: ['chain:read'] }
    expect(await gate.identify(byDevice, true)).toEqual({ ok: true, value: { ...ofOwner, device } })
    expect((await gate.identify(byDevice, false)).ok).toBe(true)
    expect(asked).toEqual([`GET ${path}&consistency=primary`, `GET ${path}`])
  })

  it.each([
    ['device_key', { publicKeyB64u: ROOT_KEY }],
    ['device_revoked', { status: 'revoked' }],
    ['device_suspended', { status: 'suspended' }],
    ['device_expired', { expiresAt: 1_700_000_000_000 }],
    ['device_scope', { scope: 'c9'.repeat(48) }],
    ['device_epoch', { currentEpoch: 3 }],
    ['device_epoch', { rootEpoch: 1, currentEpoch: 1 }],
    ['device_user', { userId: SCOPE }],
    ['device_origin', { origin: 'https://app.example' }],
    ['device_capabilities', { capabilities: ['account:read'] }],
  ])('is refused as %s when its record says %j', async (reason, changed) => {
    const { gate } = gateBefore(() => Response.json({ ...record, ...changed }))
    expect(await gate.identify(byDevice, true)).toEqual({ ok: false, error: { reason } })
  })

  it.each<[string, () => Response]>([
    ...NO_ANSWERS.filter(([name]) => name !== 'answers with the record of a device'),
    ['answers about another device', () => Response.json({ ...record, deviceId: 'A'.repeat(32) })],
    ['answers about a root key', () => Response.json(ofOwner)],
  ])('is not let through when core %s', async (_, answer) => {
    const { gate } = gateBefore(answer)
    expect(await gate.identify(byDevice, true)).toEqual(UNAVAILABLE)
  })
})

describe('a root key at the gate of a sibling', () => {
  it('is checked and spent in one call, and may do everything', async () => {
    const { gate, asked, sent } = gateBefore(() => Response.json(ofRoot))
    expect(await gate.spend(byRoot)).toEqual({ ok: true, value: { ...ofRoot, device: null } })
    expect((await gate.spend({ ...byRoot, requiredCapability: 'rotation:request' })).ok).toBe(true)
    expect(asked).toEqual([SPEND, SPEND])
    expect(sent[0]).toEqual({ userId: SCOPE, device: null, nonce: 'n-1', keepMs: 60_000 })
  })

  it('is asked after by its userId before its body is read, which spends nothing', async () => {
    const { gate, asked } = gateBefore(() => Response.json(ofRoot))
    expect(await gate.identify(byRoot, true)).toEqual({ ok: true, value: { ...ofRoot, device: null } })
    expect(asked).toEqual([`GET /api/internal/key-scope/${SCOPE}`])
  })

  it.each([
    ['key_superseded', 409, 'superseded'],
    ['did_deactivated', 409, 'deactivated'],
    ['not_found', 404, 'unknown_key'],
    ['assertion_replay', 401, 'replay'],
    ['assertion_expired', 401, 'expired'],
  ])('is refused when core says %s', async (error, status, reason) => {
    const { gate } = gateBefore(() => refusing(status, error))
    expect(await gate.spend(byRoot)).toEqual({ ok: false, error: { reason } })
  })

  it.each<[string, () => Response]>([
    ...NO_ANSWERS,
    ['answers about another key', () => Response.json({ ...ofRoot, publicKeyB64u: DEVICE_KEY })],
    ['answers about another userId', () => Response.json({ ...ofRoot, userId: USER_ID })],
    ['tells it of devices that are off', () => refusing(403, 'device_keys_disabled')],
    ['tells it of devices that cannot be found', () => refusing(503, 'device_index_unavailable')],
    ['tells it of an attestation', () => refusing(403, 'attestation_unverifiable')],
    ['says that a device was refused', () => refusing(401, 'unauthorized')],
  ])('is not let through when core %s', async (_, answer) => {
    const { gate } = gateBefore(answer)
    expect(await gate.spend(byRoot)).toEqual(UNAVAILABLE)
    expect(await gate.identify(byRoot, true)).toEqual(UNAVAILABLE)
  })
})
