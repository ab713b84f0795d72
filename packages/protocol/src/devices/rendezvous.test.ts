import { mlDsa65, mlKem768 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { encodeBase64url } from '../base/base64url.ts'
import { deviceIdOf } from '../base/device.ts'
import { signStatement } from '../base/statement.ts'
import {
  codeSchema,
  contentsHash,
  deliverySchema,
  deviceGrantSchema,
  grantRequestSchema,
  joinedSchema,
  joinRequestSchema,
  MAX_SEALED_BYTES,
  offererSchema,
  offerSchema,
  offerStateSchema,
  openOfferSchema,
  sealedContentsSchema,
  sealedSchema,
  sealRequestSchema,
} from './rendezvous.ts'

const DID = `did:svc:${'PDw8'.repeat(8)}`
const CODE = '7Q3K-9ZXN-0V4T'
const NOW = 1_790_000_000_000
const bytes = (length: number, step: number) => Uint8Array.from({ length }, (_, i) => (i * step) & 255)
const text = (length: number, step = 1) => encodeBase64url(bytes(length, step))

const seed = new Uint8Array(32).fill(1)
const sign = (message: Uint8Array) => mlDsa65.sign(seed, message)
const devicePublicKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(seed))
const kemPublicKeyB64u = encodeBase64url(await mlKem768.publicKeyOf(new Uint8Array(64).fill(1)))
const deviceId = deviceIdOf(devicePublicKeyB64u)
const common = { did: DID, deviceId, devicePublicKeyB64u, origin: 'app:test', capabilities: [], issuedAt: NOW }
const acceptance = await signStatement(
  {
    type: 'svc/device-acceptance/v1',
    realm: REALM,
    ...common,
    kemPublicKeyB64u,
    x25519B64u: text(32),
    inception: null,
  },
  sign,
)
const link = { scope: 'a7'.repeat(48), sequence: 1, previousHash: 'b7'.repeat(48), rootEpoch: 0, expiresAt: null }
const attestation = {
  ...(await signStatement({ type: 'svc/device-attestation/v1', realm: REALM, ...common, ...link }, sign)),
  acceptance,
}
const contents = { attestation, payloadB64u: text(32) }
const delivery = await signStatement(
  {
    type: 'svc/delivery/v1',
    realm: REALM,
    did: DID,
    scope: 'a7'.repeat(48),
    code: CODE,
    deviceId,
    contentsHash: contentsHash(contents),
    inception: null,
    issuedAt: NOW,
  },
  sign,
)
const proofB64u = text(48)
const sealed = { kemCiphertextB64u: text(1088), ephemeralB64u: text(32), nonceB64u: text(12), ciphertextB64u: text(48) }

describe('an offer code', () => {
  it.each([CODE, '0000-0000-0000', 'ZZZZ-ZZZZ-ZZZZ', '0123-4567-89AB', 'CDEF-GHJK-MNPQ', 'RSTV-WXYZ-0000'])(
    'can be %s',
    (code) => {
      expect(codeSchema.parse(code)).toBe(code)
    },
  )

  it.each([
    ['with I', 'IAAA-AAAA-AAAA'],
    ['with L', 'AAAA-LAAA-AAAA'],
    ['with O', 'AAAA-AAAA-AAAO'],
    ['with U', 'UAAA-AAAA-AAAA'],
    ['in lower case', '7q3k-9zxn-0v4t'],
    ['without hyphens', '7Q3K9ZXN0V4T'],
    ['with a group too few', '7Q3K-9ZXN'],
    ['with a character too many', '7Q3K-9ZXN-0V4T0'],
    ['with a line after it', '7Q3K-9ZXN-0V4T\n'],
    ['with other digits', '７Q3K-9ZXN-0V4T'],
    ['with a path in it', '../.-9ZXN-0V4T'],
    ['empty', ''],
  ])('is not valid %s', (_, code) => {
    expect(codeSchema.safeParse(code).success).toBe(false)
  })
})

describe('wire schemas', () => {
  const inception = { sequence: 0, hash: 'a7'.repeat(48) }
  const grant = { attestation, wrappedKey: sealed }
  const offered = { did: DID, expiresAt: NOW, pollIntervalMs: 10_000 }
  const schemas = {
    opening: [openOfferSchema, { tokenHash: 'a7'.repeat(48), proofB64u }],
    offer: [offerSchema, { code: CODE, token: text(32), ...offered }],
    offerer: [
      offererSchema,
      { did: DID, rootPublicKeyB64u: devicePublicKeyB64u, proofB64u, inception, expiresAt: NOW },
    ],
    state: [offerStateSchema, { code: CODE, status: 'joined', request: { acceptance, proofB64u }, ...offered }],
    request: [joinRequestSchema, { acceptance, proofB64u }],
    answer: [joinedSchema, { status: 'joined', rootPublicKeyB64u: devicePublicKeyB64u, ...offered }],
    sealed: [sealedSchema, sealed],
    contents: [sealedContentsSchema, { ...contents, delivery }],
    delivery: [deliverySchema, delivery.statement],
    sealing: [sealRequestSchema, { code: CODE, sealed }],
    grant: [deviceGrantSchema, grant],
    granting: [grantRequestSchema, { code: CODE, grant }],
  } as const

  it.each(Object.entries(schemas))('%s: requires every member and allows no other', (_, [schema, value]) => {
    expect(schema.safeParse(value).success).toBe(true)
    expect(schema.safeParse({ ...value, sessionToken: 'x' }).success).toBe(false)
    for (const member of Object.keys(value)) {
      const fewer = Object.fromEntries(Object.entries(value).filter(([name]) => name !== member))
      expect(schema.safeParse(fewer).success, member).toBe(false)
    }
  })

  it.each([
    ['attestation', { ...grant, attestation: { ...attestation, session: 'x' } }],
    ['statement', { ...grant, attestation: { ...attestation, statement: { ...attestation.statement, token: 'x' } } }],
    ['acceptance', { ...grant, attestation: { ...attestation, acceptance: { ...acceptance, assertion: 'x' } } }],
    ['wrapped key', { ...grant, wrappedKey: { ...sealed, key: 'x' } }],
  ])('a grant allows no other member in its %s either', (_, changed) => {
    expect(deviceGrantSchema.safeParse(changed).success).toBe(false)
  })

  it.each([
    ['a KEM ciphertext of another length', { kemCiphertextB64u: text(1087) }],
    ['a ciphertext of ML-KEM-768 alone', { ephemeralB64u: undefined }],
    ['an ephemeral key of small order', { ephemeralB64u: text(32, 0) }],
    ['a nonce of another length', { nonceB64u: text(16) }],
    ['padding', { ciphertextB64u: 'AA==' }],
    ['trailing bits', { ciphertextB64u: 'AB' }],
    ['more than fits', { ciphertextB64u: text(MAX_SEALED_BYTES + 1) }],
  ])('refuses %s', (_, changed) => {
    expect(sealedSchema.safeParse({ ...sealed, ...changed }).success).toBe(false)
  })

  it.each([47, 49])('refuse a proof of %s bytes', (length) => {
    expect(joinRequestSchema.safeParse({ acceptance, proofB64u: text(length) }).success).toBe(false)
    expect(openOfferSchema.safeParse({ tokenHash: 'a7'.repeat(48), proofB64u: text(length) }).success).toBe(false)
  })

  it('accept 56 KiB of sealed data', () => {
    expect(sealedSchema.safeParse({ ...sealed, ciphertextB64u: text(57_344) }).success).toBe(true)
  })

  it('hash only the attestation and the payload of sealed contents', () => {
    const named = (value: object) => contentsHash(value as unknown as typeof contents)
    const expected = '16bf20c8f2d65ff9e4c1cffc433a2aa3844d440967fe7e218b4c8900e37507a949048544c754e92a8b31984f1a663acf'
    expect(named({ attestation: { a: 1 }, payloadB64u: null })).toBe(expected)
    expect(named({ delivery, payloadB64u: null, attestation: { a: 1 } })).toBe(expected)
    expect(named({ attestation: { a: 1 }, payloadB64u: '' })).not.toBe(expected)
    expect(named({ attestation: { a: 2 }, payloadB64u: null })).not.toBe(expected)
  })

  it('have three states', () => {
    const state = schemas.state[1]
    for (const status of ['open', 'joined', 'delivered']) {
      expect(offerStateSchema.safeParse({ ...state, status }).success, status).toBe(true)
    }
    for (const status of ['sealed', 'granted', 'consumed', 'cancelled', 'expired', '']) {
      expect(offerStateSchema.safeParse({ ...state, status }).success, status).toBe(false)
    }
    expect(offerStateSchema.safeParse({ ...state, status: 'open', request: null }).success).toBe(true)
  })
})
