import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { chainReindexSchema, operatorActSchema } from '../operator/acts.ts'
import { STATEMENT_RULES } from '../statements/rules.ts'
import { encodeBase64url } from './base64url.ts'
import {
  ciphertextOf,
  hybridCiphertextOf,
  hybridKeyOf,
  kemKeyId,
  keyAgreementSchema,
  signedKeyAgreementSchema,
  statedKeyOf,
  xWingKeyOf,
  xWingPublicKeySchema,
} from './key-agreement.ts'
import { STATEMENT_TYPES, signStatement, statementNonceSchema, verifyStatement } from './statement.ts'

const seed = new Uint8Array(32).fill(1)
const sign = (message: Uint8Array) => mlDsa65.sign(seed, message)
const publicKey = await mlDsa65.publicKeyOf(seed)
const otherKey = await mlDsa65.publicKeyOf(new Uint8Array(32).fill(2))

const did = `did:svc:${'PDw8'.repeat(8)}`
const statement = {
  type: 'svc/operator-chain-reindex/v1' as const,
  realm: REALM,
  service: 'core',
  did,
  nonce: 'n_000000000000-1',
  issuedAt: 1_790_000_000_000,
}
const signed = await signStatement(statement, sign)

describe('signStatement and verifyStatement', () => {
  it('verify under the signing key and reject another', async () => {
    expect(await verifyStatement(signed, publicKey, REALMS)).toBe(true)
    expect(await verifyStatement(signed, otherKey, REALMS)).toBe(false)
  })

  it('sign canonical JSON, independent of member order', async () => {
    const text = `{"did":"${did}","issuedAt":1790000000000,"nonce":"n_000000000000-1","realm":"https://core.test","service":"core","type":"svc/operator-chain-reindex/v1"}`
    const { issuedAt, nonce, realm, service, type } = statement
    const reordered = { statement: { issuedAt, type, service, did, nonce, realm }, signatureB64u: signed.signatureB64u }
    expect(await verifyStatement(reordered, publicKey, REALMS)).toBe(true)
    const signatureB64u = encodeBase64url(await sign(new TextEncoder().encode(text)))
    expect(await verifyStatement({ statement, signatureB64u }, publicKey, REALMS)).toBe(true)
  })

  it.each([
    ['type', 'svc/key-agreement/v1'],
    ['did', `did:svc:${'PDw9'.repeat(8)}`],
    ['realm', 'https://core.other.test'],
    ['service', 'did'],
    ['nonce', 'n_000000000000-2'],
    ['issuedAt', 1_790_000_000_001],
    ['extra', 'member'],
  ])('refuse a changed %s', async (member, value) => {
    const changed = { ...signed, statement: { ...statement, [member]: value } }
    expect(await verifyStatement(changed, publicKey, REALMS)).toBe(false)
  })

  it.each(['type', 'realm', 'service', 'did', 'nonce', 'issuedAt'])('refuse a statement without %s', async (member) => {
    const fewer = Object.fromEntries(Object.entries(statement).filter(([name]) => name !== member))
    expect(await verifyStatement({ ...signed, statement: fewer }, publicKey, REALMS)).toBe(false)
    expect(operatorActSchema.safeParse({ ...signed, statement: fewer }).success).toBe(false)
  })

  it('accept each of the realms, and no other', async () => {
    const elsewhere = 'https://core.other.test'
    const moved = await signStatement({ ...statement, realm: elsewhere }, sign)
    expect(await verifyStatement(moved, publicKey, REALMS)).toBe(false)
    expect(await verifyStatement(moved, publicKey, [elsewhere])).toBe(true)
    expect(await verifyStatement(moved, publicKey, [REALM, elsewhere])).toBe(true)
    expect(await verifyStatement(signed, publicKey, [elsewhere, REALM])).toBe(true)
    expect(await verifyStatement(signed, publicKey, [elsewhere])).toBe(false)
  })

  it.each([undefined, null, '', ['https://core.test'], { 0: 'https://core.test' }])(
    'refuse the realm %j under any signature',
    async (realm) => {
      const other = { ...statement, realm } as unknown as typeof statement
      const stated = await signStatement(other, sign)
      expect(await verifyStatement(stated, publicKey, REALMS)).toBe(false)
    },
  )

  it('refuse the signature of another statement', async () => {
    const other = await signStatement({ ...statement, nonce: 'n_000000000000-2' }, sign)
    expect(await verifyStatement({ statement, signatureB64u: other.signatureB64u }, publicKey, REALMS)).toBe(false)
  })
})

describe('schemas of statements', () => {
  it('accept a signed statement', () => {
    expect(operatorActSchema.parse(signed)).toEqual(signed)
  })

  it('refuse an unknown member inside or beside the statement', () => {
    expect(operatorActSchema.safeParse({ ...signed, statement: { ...statement, note: 'x' } }).success).toBe(false)
    expect(operatorActSchema.safeParse({ ...signed, note: 'x' }).success).toBe(false)
  })

  it('refuse the type of another statement', () => {
    expect(chainReindexSchema.safeParse({ ...statement, type: 'svc/key-agreement/v1', realm: REALM }).success).toBe(
      false,
    )
    expect(chainReindexSchema.safeParse({ ...statement, type: undefined }).success).toBe(false)
  })

  it.each([-1, 1.5, '1790000000000', Number.MAX_SAFE_INTEGER + 1, null])('refuse %j as issuedAt', (issuedAt) => {
    expect(chainReindexSchema.safeParse({ ...statement, issuedAt }).success).toBe(false)
  })

  it('accept nonces of 16 to 64 base64url characters', () => {
    for (const nonce of ['a'.repeat(16), '-_'.repeat(32)]) {
      expect(statementNonceSchema.safeParse(nonce).success).toBe(true)
    }
    for (const nonce of ['', 'a'.repeat(15), 'a'.repeat(65), `${'a'.repeat(16)} `, `${'a'.repeat(16)}.`]) {
      expect(statementNonceSchema.safeParse(nonce).success).toBe(false)
    }
  })
})

declare global {
  interface ImportMeta {
    /** Provided by Vite: every matching module, so that a new statement is always covered here. */
    glob<M>(patterns: string[], options: { eager: true }): Record<string, M>
  }
}

describe('statement types', () => {
  const modules = import.meta.glob<Record<string, unknown>>(['../**/*.ts', '!../**/*.test.ts', '!../**/*.fixture.ts'], {
    eager: true,
  })
  const schemas = [...new Set(Object.values(modules).flatMap((module) => Object.values(module)))]
    .filter((value) => value instanceof z.ZodObject)
    // Other objects have a type, too: a passkey's is `public-key`.
    .filter(({ shape }) => 'issuedAt' in shape && shape['type'] instanceof z.ZodLiteral)
  const typeOf = ({ shape }: z.ZodObject) => String((shape['type'] as z.ZodLiteral).value)
  const typesOfSchemas = schemas.map(typeOf)
  const membersOf = Object.fromEntries(schemas.map((schema) => [typeOf(schema), Object.keys(schema.shape)]))

  it('each belong to exactly one schema', () => {
    expect(typesOfSchemas.toSorted()).toEqual([...STATEMENT_TYPES].toSorted())
    expect(new Set(STATEMENT_TYPES).size).toBe(STATEMENT_TYPES.length)
  })

  it.each(STATEMENT_TYPES)('%s signs what its rule names: its subject, and what prevents a replay', (type) => {
    const { subject, replay } = STATEMENT_RULES[type]
    const signs = new Set(membersOf[type])
    expect([...signs]).toEqual(expect.arrayContaining(['type', 'realm', 'issuedAt', ...subject, ...replay.members]))
    expect(subject.length).toBeGreaterThan(0)
    // Only what a service makes and nobody accepts needs no rule.
    expect(replay.members.length > 0).toBe(replay.kind !== 'receipt')
  })

  it('name the platform and a version', () => {
    for (const type of STATEMENT_TYPES) expect(type).toMatch(/^svc\/[a-z-]+\/v[1-9]$/)
  })
})

describe('key agreement', () => {
  const kemKey = Uint8Array.from({ length: 1184 }, (_, i) => (i * 5) & 7)
  const agreement = {
    type: 'svc/key-agreement/v1' as const,
    realm: REALM,
    did,
    scope: '3c'.repeat(48),
    publicKeyB64u: encodeBase64url(kemKey),
    x25519B64u: encodeBase64url(new Uint8Array(32).fill(9)),
    inception: null,
    issuedAt: 1_790_000_000_000,
  }

  it('is a signed statement with keys of 1,184 and 32 bytes', async () => {
    const stated = await signStatement(agreement, sign)
    expect(signedKeyAgreementSchema.parse(stated)).toEqual(stated)
    expect(await verifyStatement(stated, publicKey, REALMS)).toBe(true)
    expect(await verifyStatement(stated, otherKey, REALMS)).toBe(false)
  })

  it.each([
    ['publicKeyB64u', 'A'.repeat(1578)],
    ['publicKeyB64u', `${'_'.repeat(1578)}8`],
    ['publicKeyB64u', 'A'.repeat(2603)],
    ['publicKeyB64u', '+'.repeat(1579)],
    ['x25519B64u', undefined],
    ['x25519B64u', '+'.repeat(43)],
    ['x25519B64u', 'A'.repeat(42)],
    ['x25519B64u', 'A'.repeat(43)],
    ['scope', '3C'.repeat(48)],
    ['did', 'did:web:example.com'],
    ['nonce', 'n_000000000000-1'],
  ])('refuses %s %s', (member, value) => {
    expect(keyAgreementSchema.safeParse({ ...agreement, [member]: value }).success).toBe(false)
  })

  describe('with keys of sheets', () => {
    const sheetOf = (byte: number) => ({
      kemPublicKeyB64u: encodeBase64url(Uint8Array.from({ length: 1184 }, (_, i) => (i * byte) & 7)),
      x25519B64u: encodeBase64url(new Uint8Array(32).fill(9)),
    })
    const [first, second, third] = [sheetOf(1), sheetOf(3), sheetOf(7)]
    const accepts = (sheets: unknown) => keyAgreementSchema.safeParse({ ...agreement, sheets }).success

    it('has one to three', () => {
      for (const sheets of [[first], [first, second], [first, second, third]]) expect(accepts(sheets)).toBe(true)
    })

    it.each([
      ['none', []],
      ['four', [first, second, third, sheetOf(2)]],
      ['one twice', [first, second, { ...first, x25519B64u: encodeBase64url(new Uint8Array(32).fill(10)) }]],
      ['the key of the identity', [{ ...first, kemPublicKeyB64u: agreement.publicKeyB64u }]],
      ['ML-KEM-768 alone', [{ kemPublicKeyB64u: first.kemPublicKeyB64u }]],
      ['a point of small order', [{ ...first, x25519B64u: encodeBase64url(new Uint8Array(32)) }]],
      ['a key that nobody can encrypt to', [{ ...first, kemPublicKeyB64u: `${'_'.repeat(1578)}8` }]],
      ['anything else', [{ ...first, confirmedAt: 1 }]],
      ['null', null],
    ])('refuses %s', (_, sheets) => {
      expect(accepts(sheets)).toBe(false)
    })

    it('says which sheets are wrong, if one has the key of the identity', () => {
      const sheets = [first, { ...second, kemPublicKeyB64u: agreement.publicKeyB64u }]
      expect(keyAgreementSchema.safeParse({ ...agreement, sheets }).error?.issues).toMatchObject([
        { path: ['sheets'], message: 'has the key of the identity itself' },
      ])
    })

    it('is signed by one spelling, and none of them can be taken away', async () => {
      const stated = await signStatement({ ...agreement, sheets: [first, second] }, sign)
      expect(signedKeyAgreementSchema.parse(stated)).toEqual(stated)
      expect(await verifyStatement(stated, publicKey, REALMS)).toBe(true)
      for (const sheets of [[first], [second, first], [first, third]]) {
        const changed = { ...stated, statement: { ...stated.statement, sheets } }
        expect(await verifyStatement(changed, publicKey, REALMS)).toBe(false)
      }
      expect(await verifyStatement({ ...stated, statement: agreement }, publicKey, REALMS)).toBe(false)
    })
  })

  it('identifies a key by the first 24 bytes of the hash of its ML-KEM-768 part', () => {
    for (const time of ['first', 'second'])
      expect(kemKeyId(agreement.publicKeyB64u), time).toBe('tSp_e3E4gDWmmkcep7G33SwwkaZBuW4V')
  })

  it('has the two parts of one X-Wing key', () => {
    const raw = xWingKeyOf(statedKeyOf(agreement))
    expect(raw).toEqual(new Uint8Array([...kemKey, ...new Uint8Array(32).fill(9)]))
    expect(hybridKeyOf(raw)).toEqual(statedKeyOf(agreement))
    const isKey = (bytes: Uint8Array) => xWingPublicKeySchema.safeParse(encodeBase64url(bytes)).success
    expect([isKey(raw), isKey(kemKey), isKey(raw.fill(0, 1184))]).toEqual([true, false, false])
  })

  it('is encrypted to with the two parts of one ciphertext, or with ML-KEM-768 alone', () => {
    const raw = Uint8Array.from({ length: 1120 }, (_, i) => i & 255)
    const { kemCiphertextB64u, ephemeralB64u } = hybridCiphertextOf(raw)
    expect(ciphertextOf({ kemCiphertextB64u, ephemeralB64u })).toEqual(raw)
    expect(ciphertextOf({ kemCiphertextB64u })).toEqual(raw.slice(0, 1088))
  })
})
