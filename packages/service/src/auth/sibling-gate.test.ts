import type { VerifiedAssertion } from '@svc/assertion'
import { NonceGuardClient } from '@svc/assertion/worker/nonce-guard'
import { describe, expect, it } from 'vitest'
import { InternalClient } from '../internal/internal.ts'
import { SiblingGate } from './sibling-gate.ts'

const DEVICE_KEY = 'A'.repeat(2603)
const ROOT_KEY = `B${'A'.repeat(2602)}`
const SCOPE = 'a7'.repeat(48)
const DID = `did:svc:${'p6en'.repeat(8)}`
const DEVICE_ID = 'PDw8'.repeat(8)

const record = {
  deviceId: DEVICE_ID,
  did: DID,
  scope: SCOPE,
  userId: 'b8'.repeat(48),
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
  userId: record.userId,
  keyDid: DID,
  publicKeyB64u: DEVICE_KEY,
  signer: `dev:${DEVICE_ID}`,
  device: { deviceId: DEVICE_ID, scope: SCOPE, origin: 'app:notes', rootEpoch: 2, capabilities: ['chain:read'] },
  requiredCapability: 'chain:read',
  nonce: 'n-1',
  keepUntil: 1_790_000_000_000,
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

/** A gate before a core that answers as told and guards whose nonces all have the same outcome. */
function gateBefore(answer: () => Response, outcome = 'spent') {
  const asked: string[] = []
  const guarded: unknown[] = []
  const binding = {
    fetch: async (url: string) => {
      asked.push(url.replace('https://internal', ''))
      return answer()
    },
  } as unknown as Fetcher
  const guards = {
    getByName: (name: string) => ({
      spend: async (...operands: unknown[]) => {
        guarded.push([name, ...operands])
        return outcome
      },
    }),
  } as unknown as ConstructorParameters<typeof NonceGuardClient>[0]
  const gate = new SiblingGate(
    new InternalClient(binding, { current: 'secret-of-the-tests' }),
    new NonceGuardClient(guards),
  )
  return { gate, asked, guarded }
}

describe('a device at the gate of a sibling', () => {
  const path = `/api/internal/device/${DEVICE_ID}`

  it('is looked up at the primary for a mutation, and where a cache may answer for anything else', async () => {
    const { gate, asked } = gateBefore(() => Response.json(record))
    expect((await gate.spend(byDevice, true)).ok).toBe(true)
    expect((await gate.spend(byDevice, false)).ok).toBe(true)
    expect(asked).toEqual([`${path}?consistency=primary`, path])
  })

  it('acts for its owner, with what it claims and not all that it was given', async () => {
    const { gate } = gateBefore(() => Response.json(record))
    expect(await gate.spend(byDevice, true)).toEqual({
      ok: true,
      value: {
        did: DID,
        scope: SCOPE,
        userId: record.userId,
        epoch: 2,
        publicKeyB64u: ROOT_KEY,
        device: { deviceId: DEVICE_ID, publicKeyB64u: byDevice.publicKeyB64u, capabilities: ['chain:read'] },
      },
    })
  })

  it('spends its nonce at a guard of its own', async () => {
    const { gate, guarded } = gateBefore(() => Response.json(record))
    await gate.spend(byDevice, true)
    expect(guarded).toEqual([[`dev:${DEVICE_ID}`, `dev:${DEVICE_ID}`, 'n-1', 1_790_000_000_000]])
  })

  it('may not do what it has no capability for, and has spent its nonce when it is told', async () => {
    const { gate, guarded } = gateBefore(() => Response.json(record))
    for (const requiredCapability of ['account:read', 'root'] as const) {
      const refused = await gate.spend({ ...byDevice, requiredCapability }, true)
      expect(refused).toEqual({ ok: false, error: { reason: 'capability' } })
    }
    expect(guarded).toHaveLength(2)
    expect((await gate.spend({ ...byDevice, requiredCapability: 'any' }, true)).ok).toBe(true)
  })

  it.each(['replay', 'expired'])('is refused when its nonce is a %s', async (outcome) => {
    const { gate } = gateBefore(() => Response.json(record), outcome)
    const refused = await gate.spend({ ...byDevice, requiredCapability: 'root' }, true)
    expect(refused).toEqual({ ok: false, error: { reason: outcome } })
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
  ])('is refused as %s when its record says %j, and spends nothing', async (reason, changed) => {
    const { gate, guarded } = gateBefore(() => Response.json({ ...record, ...changed }))
    expect(await gate.spend(byDevice, true)).toEqual({ ok: false, error: { reason } })
    expect(guarded).toEqual([])
  })

  it.each([
    ['device_keys_disabled', 403],
    ['device_index_unavailable', 503],
    ['attestation_unverifiable', 403],
  ])('is told %s when core says so', async (reason, status) => {
    const { gate, guarded } = gateBefore(() => refusing(status, reason))
    for (const isMutation of [true, false]) {
      expect(await gate.spend(byDevice, isMutation)).toEqual({ ok: false, error: { reason } })
    }
    expect(guarded).toEqual([])
  })

  it.each([
    ['did_deactivated', 409, 'deactivated'],
    ['not_found', 404, 'unknown_device'],
  ])('is refused when core says %s', async (error, status, reason) => {
    const { gate } = gateBefore(() => refusing(status, error))
    expect(await gate.spend(byDevice, true)).toEqual({ ok: false, error: { reason } })
  })

  it.each<[string, () => Response]>([
    ['fails', () => refusing(500, 'internal_error')],
    ['fails with the name of a refusal', () => refusing(503, 'not_found')],
    ['does not know the caller', () => refusing(403, 'forbidden')],
    ['finds the request wrong', () => refusing(400, 'invalid_request')],
    ['names nothing', () => refusing(404, 404)],
    ['says nothing of the device', () => Response.json({})],
    ['leaves the epoch out', () => Response.json({ ...record, currentEpoch: undefined })],
    ['adds a member', () => Response.json({ ...record, verified: true })],
    ['answers about another device', () => Response.json({ ...record, deviceId: 'A'.repeat(32) })],
    [
      'answers about a root key',
      () => Response.json({ userId: SCOPE, did: DID, scope: SCOPE, epoch: 2, publicKeyB64u: ROOT_KEY }),
    ],
    ['is gone', () => Promise.reject(new Error('gone')) as unknown as Response],
  ])('is not let through when core %s', async (_, answer) => {
    const { gate, guarded } = gateBefore(answer)
    expect(await gate.spend(byDevice, true)).toEqual({
      ok: false,
      error: { reason: 'unavailable', dependency: 'core' },
    })
    expect(guarded).toEqual([])
  })

  it('is not let through when its nonces cannot be reached', async () => {
    const { gate } = gateBefore(() => Response.json(record), 'unavailable')
    expect(await gate.spend(byDevice, true)).toEqual({
      ok: false,
      error: { reason: 'unavailable', dependency: 'nonces' },
    })
  })
})

describe('a root key at the gate of a sibling', () => {
  const scope = { userId: SCOPE, did: DID, scope: SCOPE, epoch: 0, publicKeyB64u: ROOT_KEY }

  it('is asked after by its userId, as a device never is, and may do everything', async () => {
    const { gate, asked, guarded } = gateBefore(() => Response.json(scope))
    expect(await gate.spend(byRoot, true)).toEqual({ ok: true, value: { ...scope, device: null } })
    expect((await gate.spend({ ...byRoot, requiredCapability: 'rotation:request' }, false)).ok).toBe(true)
    expect(asked).toEqual(Array(2).fill(`/api/internal/key-scope/${SCOPE}`))
    expect(guarded).toHaveLength(2)
  })

  it('is asked after once if it was identified before', async () => {
    const { gate, asked, guarded } = gateBefore(() => Response.json(scope))
    const identified = await gate.identify(byRoot, true)
    expect(identified).toEqual({ ok: true, value: { ...scope, device: null } })
    expect(guarded).toEqual([])
    if (identified.ok) expect(await gate.spend(byRoot, true, identified.value)).toEqual(identified)
    expect(asked).toHaveLength(1)
    expect(guarded).toHaveLength(1)
  })

  it('is not let through by the record of a device', async () => {
    const { gate, guarded } = gateBefore(() => Response.json(record))
    expect(await gate.spend(byRoot, true)).toMatchObject({ error: { reason: 'unavailable' } })
    expect(guarded).toEqual([])
  })

  it.each([
    ['device_keys_disabled', 403],
    ['device_index_unavailable', 503],
    ['attestation_unverifiable', 403],
  ])('is told of no %s: that is about devices', async (error, status) => {
    const { gate } = gateBefore(() => refusing(status, error))
    expect(await gate.spend(byRoot, true)).toMatchObject({ error: { reason: 'unavailable' } })
  })
})
