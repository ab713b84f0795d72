import { encodeBase64url } from '@svc/protocol/base/base64url'
import { type DeviceRecord, deviceIdOf } from '@svc/protocol/base/device'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { describe, expect, it } from 'vitest'
import { standingOfDevice, standingOfRefusal, standingOfRoot } from './rules.ts'

const NOW = 1_790_000_000_000
const did = `did:svc:${'PDw8'.repeat(8)}`
const otherDid = `did:svc:${'A'.repeat(32)}`
const key = encodeBase64url(new Uint8Array(1952).fill(1))
const otherKey = encodeBase64url(new Uint8Array(1952).fill(2))

describe('a root key', () => {
  const scope = { userId: userIdOfKey(key), did, scope: '3c'.repeat(48), epoch: 3, publicKeyB64u: key }

  it('speaks for its own DID', () => {
    expect(standingOfRoot(scope, did, key)).toEqual({ is: 'entitled', signer: { kind: 'root', epoch: 3 } })
    expect(standingOfRoot(scope, otherDid, key)).toEqual({ is: 'refused' })
  })

  it('is doubtful if the answer is about another key', () => {
    for (const changed of [{ publicKeyB64u: otherKey }, { userId: userIdOfKey(otherKey) }]) {
      expect(standingOfRoot({ ...scope, ...changed }, did, key)).toEqual({ is: 'doubtful' })
    }
  })
})

describe('a device', () => {
  const record = {
    deviceId: deviceIdOf(key),
    did,
    publicKeyB64u: key,
    rootEpoch: 2,
    currentEpoch: 2,
    capabilities: ['chain:read', 'consent:write'],
    expiresAt: null,
    status: 'active',
  } as unknown as DeviceRecord
  const standing = (changed: Partial<DeviceRecord>) => standingOfDevice({ ...record, ...changed }, did, key, NOW)

  it('speaks for its owner while it is in force', () => {
    const entitled = { is: 'entitled', signer: { kind: 'device', device_id: deviceIdOf(key), epoch: 2 } }
    expect(standing({})).toEqual(entitled)
    expect(standing({ expiresAt: NOW + 1 })).toEqual(entitled)
  })

  it.each<[string, Partial<DeviceRecord>]>([
    ['of another owner', { did: otherDid }],
    ['that is suspended', { status: 'suspended' }],
    ['that is revoked', { status: 'revoked' }],
    ['that has expired', { expiresAt: NOW }],
    ['of a former root key', { currentEpoch: 3 }],
    ['without the capability', { capabilities: ['chain:read'] }],
    ['without any', { capabilities: [] }],
  ])('%s does not', (_, changed) => {
    expect(standing(changed)).toEqual({ is: 'refused' })
  })

  it('is doubtful if the answer is about another key', () => {
    for (const changed of [{ publicKeyB64u: otherKey }, { deviceId: deviceIdOf(otherKey) }]) {
      expect(standing(changed)).toEqual({ is: 'doubtful' })
    }
  })
})

describe('a refusal by core', () => {
  it.each(['key_superseded', 'did_deactivated', 'device_keys_disabled', 'attestation_unverifiable'])(
    'with %s is about the key',
    (error) => expect(standingOfRefusal({ reason: 'refused', error })).toEqual({ is: 'refused' }),
  )

  it('with not_found leaves open that it is a device’s', () => {
    expect(standingOfRefusal({ reason: 'refused', error: 'not_found' })).toEqual({ is: 'unknown' })
  })

  it('for any other reason says nothing about the key', () => {
    for (const error of ['rate_limited', '', undefined]) {
      expect(standingOfRefusal({ reason: 'refused', ...(error === undefined ? {} : { error }) })).toEqual({
        is: 'doubtful',
      })
    }
    expect(standingOfRefusal({ reason: 'unavailable' })).toEqual({ is: 'doubtful' })
    expect(standingOfRefusal({ reason: 'unavailable', error: 'key_superseded' })).toEqual({ is: 'doubtful' })
    expect(standingOfRefusal({ reason: 'unavailable', error: 'not_found' })).toEqual({ is: 'doubtful' })
  })
})
