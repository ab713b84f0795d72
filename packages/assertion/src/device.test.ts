import type { Capability } from '@svc/protocol/base/device'
import { describe, expect, it } from 'vitest'
import { mallory, NOW } from './assertion.fixture.ts'
import { laptop, standing } from './device.fixture.ts'
import { checkDevice, type DeviceRefusal, type DeviceStanding, mayUse } from './device.ts'
import type { RouteCapability } from './requirement.ts'

const device = {
  deviceId: laptop.deviceId,
  scope: laptop.scope,
  origin: laptop.origin,
  rootEpoch: 0,
  capabilities: laptop.capabilities,
}
const claim = {
  userId: laptop.userId,
  keyDid: laptop.did,
  publicKeyB64u: laptop.devicePublicKeyB64u,
  signer: `dev:${laptop.deviceId}`,
  device,
  requiredCapability: 'chain:read',
  nonce: 'nonce-0001',
  keepUntil: NOW + 60_000,
} as const

const on = (changed: Partial<DeviceStanding>) => checkDevice({ ...standing, ...changed }, claim, NOW)
const claiming = (changed: Partial<typeof claim>) => checkDevice(standing, { ...claim, ...changed }, NOW)

describe('checkDevice', () => {
  it('accepts an active device', () => {
    expect(checkDevice(standing, claim, NOW)).toBeNull()
  })

  it('rejects a device without a record', () => {
    expect(checkDevice(null, claim, NOW)).toBe('unknown_device')
  })

  it.each<[DeviceRefusal, Partial<DeviceStanding>]>([
    ['device_key', { publicKeyB64u: mallory.publicKeyB64u }],
    ['device_revoked', { status: 'revoked' }],
    ['device_suspended', { status: 'suspended' }],
    ['device_expired', { expiresAt: NOW }],
    ['device_expired', { expiresAt: 0 }],
    ['device_scope', { scope: mallory.userId }],
    ['device_epoch', { currentEpoch: 1 }],
    ['device_epoch', { rootEpoch: 1 }],
    ['device_user', { userId: mallory.userId }],
    ['device_origin', { origin: 'https://other.example' }],
    ['device_capabilities', { capabilities: ['chain:read'] }],
    ['device_capabilities', { capabilities: [] }],
  ])('returns %s for the state %j', (refusal, changed) => {
    expect(on(changed)).toBe(refusal)
  })

  it.each<[DeviceRefusal, object]>([
    ['device_key', { publicKeyB64u: mallory.publicKeyB64u }],
    ['device_scope', { device: { ...device, scope: mallory.userId } }],
    ['device_epoch', { device: { ...device, rootEpoch: 1 } }],
    ['device_user', { userId: mallory.userId }],
    ['device_origin', { device: { ...device, origin: 'app:notes' } }],
    ['device_capabilities', { device: { ...device, capabilities: ['chain:read', 'rotation:request'] } }],
  ])('returns %s for the claim %j', (refusal, changed) => {
    expect(claiming(changed)).toBe(refusal)
  })

  it('accepts a device until the last millisecond before its expiry', () => {
    expect(on({ expiresAt: NOW + 1 })).toBeNull()
  })

  it('accepts a device that claims fewer capabilities than it was granted', () => {
    expect(checkDevice(standing, { ...claim, device: { ...device, capabilities: [] } }, NOW)).toBeNull()
  })

  it('accepts a device of a later epoch that was attested in that epoch', () => {
    const later = { ...standing, rootEpoch: 3, currentEpoch: 3, userId: mallory.userId }
    const claimed = { ...claim, userId: mallory.userId, device: { ...device, rootEpoch: 3 } }
    expect(checkDevice(later, claimed, NOW)).toBeNull()
  })

  it('rejects an attestation of an earlier epoch, even if the device claims the current one', () => {
    const rotated = { ...standing, currentEpoch: 1, userId: mallory.userId }
    const claimed = { ...claim, userId: mallory.userId, device: { ...device, rootEpoch: 1 } }
    expect(checkDevice(rotated, claimed, NOW)).toBe('device_epoch')
  })
})

describe('mayUse', () => {
  it.each<RouteCapability>(['root', 'any', 'chain:append', 'rotation:request'])(
    'lets the root key use %s',
    (required) => {
      expect(mayUse(required, null)).toBe(true)
    },
  )

  it.each<[RouteCapability, boolean]>([
    ['chain:append', true],
    ['chain:read', true],
    ['any', true],
    ['account:read', false],
    ['headers:prepare', false],
    ['rotation:cosign', false],
    ['rotation:request', false],
    ['root', false],
  ])('for a device that can read and append, %s is %s', (required, allowed) => {
    expect(mayUse(required, device)).toBe(allowed)
  })

  it('never lets a device use what is for the root key, whatever its record names', () => {
    expect(mayUse('root', { capabilities: ['root' as Capability] })).toBe(false)
  })

  it('allows a device without capabilities only routes open to any device', () => {
    expect(mayUse('any', { capabilities: [] })).toBe(true)
    expect(mayUse('chain:read', { capabilities: [] })).toBe(false)
    expect(mayUse('root', { capabilities: [] })).toBe(false)
  })
})
