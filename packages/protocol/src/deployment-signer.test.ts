import { mlDsa65 } from '@svc/pqc'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from './base64url.ts'
import { DeploymentSigner } from './deployment-signer.ts'
import { verifyReceipt } from './note-log.ts'
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
  const signer = new DeploymentSigner(SEED)

  it('signs with the key that it names', async () => {
    expect(signer.isReady).toBe(true)
    const signed = await signer.sign(statement)
    expect(signed).toMatchObject({ statement, publicKeyB64u: encodeBase64url(publicKey) })
    expect(await verifyStatement(signed!, publicKey)).toBe(true)
    expect(await verifyReceipt(signed!, (await signer.publicKey())!)).toBe(true)
  })

  it('signs each statement for itself', async () => {
    const signed = await signer.sign(statement)
    const other = { ...signed!, statement: { ...statement, size: 2 } }
    expect(await verifyStatement(other, publicKey)).toBe(false)
  })

  it('is one whoever asks first, and another for another seed', async () => {
    const fresh = new DeploymentSigner(SEED)
    const keys = await Promise.all([fresh.publicKey(), fresh.publicKey(), fresh.sign(statement)])
    expect(keys.slice(0, 2)).toEqual([encodeBase64url(publicKey), encodeBase64url(publicKey)])
    expect(await new DeploymentSigner('0b'.repeat(32)).publicKey()).not.toBe(encodeBase64url(publicKey))
  })
})

describe('a signer without a key', () => {
  it('says so, and signs nothing', async () => {
    const signer = new DeploymentSigner(undefined)
    expect(signer.isReady).toBe(false)
    expect(await signer.publicKey()).toBeNull()
    expect(await signer.sign(statement)).toBeNull()
  })
})
