import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { REALM, REALMS } from '../../test/realm.fixture.ts'
import { keysAt } from '../http/service-keys.ts'
import { verifyReceipt } from '../notes/log.ts'
import { encodeBase64url } from './base64url.ts'
import { DeploymentSigner } from './deployment-signer.ts'
import { verifyStatement } from './statement.ts'

const SEED = '0a'.repeat(32)
const publicKey = await mlDsa65.publicKeyOf(new Uint8Array(32).fill(10))
const statement = {
  type: 'svc/note-manifest/v1',

  did: `did:svc:${'p6en'.repeat(8)}`,
  size: 1,
  root: 'a7'.repeat(48),
  length: 1,
  issuedAt: 1_790_000_000_000,
} as const

describe('a signer with a key', () => {
  const signer = new DeploymentSigner(SEED, REALMS)

  it('signs with the key it reports', async () => {
    expect(signer.isReady).toBe(true)
    const signed = await signer.sign(statement)
    expect(signed).toMatchObject({
      statement: { ...statement, realm: REALM },
      publicKeyB64u: encodeBase64url(publicKey),
    })
    expect(await verifyStatement(signed!, publicKey, REALMS)).toBe(true)
    expect(await verifyReceipt(signed!, (await signer.publicKey(0))!, REALMS)).toBe(true)
  })

  it('signs each statement separately', async () => {
    const signed = await signer.sign(statement)
    const other = { ...signed!, statement: { ...signed!.statement, size: 2 } }
    expect(await verifyStatement(other, publicKey, REALMS)).toBe(false)
  })

  it('derives the same key for every caller, and a different one from a different seed', async () => {
    const fresh = new DeploymentSigner(SEED, REALMS)
    const keys = await Promise.all([fresh.publicKey(0), fresh.publicKey(0), fresh.sign(statement)])
    expect(keys.slice(0, 2)).toEqual([encodeBase64url(publicKey), encodeBase64url(publicKey)])
    expect(await new DeploymentSigner('0b'.repeat(32), REALMS).publicKey(0)).not.toBe(encodeBase64url(publicKey))
  })
})

describe('a hand-over', () => {
  const NEXT_SEED = '0b'.repeat(32)
  const name = { service: 'core', use: 'receipt' } as const
  const keyOf = async (byte: number) => encodeBase64url(await mlDsa65.publicKeyOf(new Uint8Array(32).fill(byte)))
  const at = statement.issuedAt

  it('takes place at the time that was announced, without an act', async () => {
    const [current, next] = [await keyOf(10), await keyOf(11)]
    const published = [
      { ...name, publicKeyB64u: current, validFrom: 0, validUntil: at + 2_000 },
      { ...name, publicKeyB64u: next, validFrom: at + 1_000, validUntil: null },
    ]
    const signer = new DeploymentSigner(SEED, REALMS, { published, nextSeed: NEXT_SEED })
    const signedAt = async (issuedAt: number) => (await signer.sign({ ...statement, issuedAt }))?.publicKeyB64u
    expect(await signedAt(at + 999)).toBe(current)
    expect(await signedAt(at + 1_000)).toBe(next)
    expect(await signer.publicKey(at + 5_000)).toBe(next)
    expect(keysAt(published, name, at + 1_500)).toEqual(published)
    expect(keysAt(published, name, at + 2_000)).toEqual([published[1]])
  })

  it('never signs with a key that is not published for the time', async () => {
    const published = [{ ...name, publicKeyB64u: await keyOf(11), validFrom: 0, validUntil: null }]
    const refusal = 'the key of core for receipt is unavailable'
    await expect(new DeploymentSigner(SEED, REALMS, { published }).sign(statement)).rejects.toThrow(refusal)
    const late = [{ ...published[0]!, publicKeyB64u: await keyOf(10), validFrom: at + 1 }]
    await expect(new DeploymentSigner(SEED, REALMS, { published: late }).sign(statement)).rejects.toMatchObject({
      message: refusal,
      cause: { message: 'none of its seeds is the key that is published for this time' },
    })
  })
})

describe('a signer without a key', () => {
  it.each([undefined, ''])('reports it and signs nothing, seed %j', async (seed) => {
    const signer = new DeploymentSigner(seed, REALMS)
    expect(signer.isReady).toBe(false)
    expect(await signer.publicKey(0)).toBeNull()
    expect(await signer.sign(statement)).toBeNull()
  })
})
