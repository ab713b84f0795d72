import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { encodeBase64url } from './base64url.ts'
import {
  CAPABILITIES,
  capabilitiesSchema,
  deviceIdOf,
  deviceIdSchema,
  deviceKeyDid,
  deviceOriginSchema,
  deviceRecordSchema,
  signedDeviceAcceptanceSchema,
} from './device.ts'
import { didOf, userIdOfKey } from './identity.ts'

const ONES = encodeBase64url(new Uint8Array(1952).fill(1))
const TWOS = encodeBase64url(new Uint8Array(1952).fill(2))
const did = `did:svc:${'PDw8'.repeat(8)}`

describe('deviceIdOf', () => {
  // From Python's hashlib: urlsafe base64 of sha3_384(key).digest()[:24].
  it.each([
    [ONES, '1Bib6c4794k3VvpqA65O1-XGDE-1oC8c'],
    [TWOS, 'UFRI7SyXcrdB5IXhKj91sXdL1n9qnjTe'],
    [encodeBase64url(Uint8Array.from({ length: 1952 }, (_, i) => i * 7 + 3)), 'PwdfXfKR8kqyGx-z5K3_T3U_L-HMGJZg'],
  ])('names a key by the first 24 bytes of its SHA3-384', (key, deviceId) => {
    expect(deviceIdOf(key)).toBe(deviceId)
    expect(deviceIdSchema.safeParse(deviceId).success).toBe(true)
  })

  it('matches the DID the key would have as a root key', () => {
    expect(deviceKeyDid(deviceIdOf(ONES))).toBe('did:svc:1Bib6c4794k3VvpqA65O1-XGDE-1oC8c')
    expect(deviceKeyDid(deviceIdOf(ONES))).toBe(didOf(userIdOfKey(ONES)))
  })
})

describe('a device id', () => {
  it.each([
    '',
    '1Bib6c4794k3VvpqA65O1-XGDE-1oC8',
    '1Bib6c4794k3VvpqA65O1-XGDE-1oC8cc',
    '1Bib6c4794k3VvpqA65O1+XGDE-1oC8c',
    did,
  ])('is not %j', (deviceId) => {
    expect(deviceIdSchema.safeParse(deviceId).success).toBe(false)
  })
})

describe('capabilities', () => {
  it('accept known names without duplicates', () => {
    for (const names of [[], ['chain:read'], [...CAPABILITIES]]) {
      expect(capabilitiesSchema.safeParse(names).success).toBe(true)
    }
    for (const names of [
      ['chain:read', 'chain:read'],
      ['root'],
      ['any'],
      [''],
      ['CHAIN:READ'],
      [...CAPABILITIES, 'chain:read'],
    ]) {
      expect(capabilitiesSchema.safeParse(names).success).toBe(false)
    }
  })
})

describe('a device origin', () => {
  it.each([
    'https://app.example',
    'http://localhost:3000',
    'https://127.0.0.1:65535',
    'app:phone',
    'app:org.example.notes-1',
  ])('may be %s', (origin) => {
    expect(deviceOriginSchema.safeParse(origin).success).toBe(true)
  })

  it.each([
    '',
    'null',
    'https://',
    'https://app.example/',
    'https://APP.example',
    'https://app.example:123456',
    'https://user@app.example',
    'ftp://app.example',
    'app:',
    'app:Phone',
    'app:-phone',
    'app:phone\n',
    ' app:phone',
    `app:${'a'.repeat(252)}`,
  ])('may not be %j', (origin) => {
    expect(deviceOriginSchema.safeParse(origin).success).toBe(false)
  })
})

describe('an acceptance', () => {
  const statement = {
    type: 'svc/device-acceptance/v1',
    realm: REALM,
    did,
    deviceId: '1Bib6c4794k3VvpqA65O1-XGDE-1oC8c',
    devicePublicKeyB64u: ONES,
    kemPublicKeyB64u: encodeBase64url(Uint8Array.from({ length: 1184 }, (_, i) => (i * 5) & 7)),
    x25519B64u: encodeBase64url(new Uint8Array(32).fill(9)),
    origin: 'app:phone',
    capabilities: ['chain:read'],
    inception: null,
    issuedAt: 1_790_000_000_000,
  }
  const signed = { statement, signatureB64u: 'A'.repeat(4412) }

  it('passes its schema', () => {
    expect(signedDeviceAcceptanceSchema.parse(signed)).toEqual(signed)
  })

  it.each([
    ['type', 'svc/device-attestation/v1'],
    ['did', 'did:web:example.com'],
    ['deviceId', did],
    ['devicePublicKeyB64u', ONES.slice(1)],
    ['kemPublicKeyB64u', '_'.repeat(1579)],
    ['x25519B64u', undefined],
    ['x25519B64u', 'A'.repeat(43)],
    ['origin', 'https://app.example/path'],
    ['capabilities', ['chain:write']],
    ['issuedAt', -1],
    ['scope', '3c'.repeat(48)],
  ])('does not with another %s', (member, value) => {
    const changed = { ...signed, statement: { ...statement, [member]: value } }
    expect(signedDeviceAcceptanceSchema.safeParse(changed).success).toBe(false)
  })
})

describe('a device record', () => {
  const record = {
    deviceId: '1Bib6c4794k3VvpqA65O1-XGDE-1oC8c',
    did,
    scope: '3c'.repeat(48),
    userId: '3c'.repeat(48),
    publicKeyB64u: ONES,
    rootEpoch: 0,
    currentEpoch: 1,
    rootPublicKeyB64u: TWOS,
    origin: 'app:phone',
    capabilities: ['chain:read'],
    expiresAt: null,
    status: 'active',
  }

  it('passes its schema, with an expiry or without one', () => {
    expect(deviceRecordSchema.parse(record)).toEqual(record)
    expect(deviceRecordSchema.safeParse({ ...record, expiresAt: 1_790_000_000_000 }).success).toBe(true)
  })

  it.each(['suspended', 'revoked'])('can be %s', (status) => {
    expect(deviceRecordSchema.parse({ ...record, status })).toEqual({ ...record, status })
  })

  it.each([
    ['status', 'stale'],
    ['expiresAt', undefined],
    ['rootEpoch', -1],
    ['rootPublicKeyB64u', ''],
    ['secret', 'x'],
  ])('does not with another %s', (member, value) => {
    expect(deviceRecordSchema.safeParse({ ...record, [member]: value }).success).toBe(false)
  })
})
