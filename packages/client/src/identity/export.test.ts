import { scryptAsync } from '@noble/hashes/scrypt.js'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { describe, expect, it } from 'vitest'
import { type ExportedIdentity, exportIdentity, importIdentity } from './export.ts'
import { Identity } from './identity.ts'

const PASSPHRASE = 'correct horse battery staple é'
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(64).fill(2) })
const bob = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(3), kem: new Uint8Array(64).fill(4) })
const exported = await exportIdentity(alice, PASSPHRASE)
const WRONG = new Error('importIdentity: wrong passphrase, or the file was modified')

const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
const opened = (members: Partial<ExportedIdentity>) => importIdentity({ ...exported, ...members }, PASSPHRASE)

/** The format put together by hand, from the seeds of Alice for the DID that is given. */
async function sealedFor(did: string): Promise<ExportedIdentity> {
  const [salt, nonce] = [new Uint8Array(16).fill(5), new Uint8Array(12).fill(6)]
  const password = new TextEncoder().encode(PASSPHRASE.normalize('NFKC'))
  const raw = new Uint8Array(await scryptAsync(password, salt, { N: 65_536, r: 8, p: 1, dkLen: 32 }))
  const key = await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt'])
  const [saltB64u, nonceB64u] = [encodeBase64url(salt), encodeBase64url(nonce)]
  const open =
    `{"cipher":{"name":"aes-256-gcm","nonceB64u":"${nonceB64u}"},"did":"${did}","format":"svc/identity-export/v1",` +
    `"kdf":{"N":65536,"name":"scrypt","p":1,"r":8,"saltB64u":"${saltB64u}"}}`
  const seeds = new Uint8Array([...new Uint8Array(32).fill(1), ...new Uint8Array(64).fill(2)])
  const additionalData = new TextEncoder().encode(open)
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce, additionalData }, key, seeds)
  return { ...(JSON.parse(open) as ExportedIdentity), ciphertextB64u: encodeBase64url(new Uint8Array(sealed)) }
}

// Each passphrase is stretched for a second, and for several beside other work.
describe('exportIdentity and importIdentity', () => {
  it('give the same identity back, through JSON', async () => {
    const file: unknown = JSON.parse(JSON.stringify(exported))
    const imported = await importIdentity(file, PASSPHRASE)
    expect(imported.revealSeeds()).toEqual(alice.revealSeeds())
    expect(imported.did).toBe(alice.did)
  })

  it('do not care for the order of members', async () => {
    const file = Object.fromEntries(Object.entries(exported).toReversed())
    expect((await importIdentity(file, PASSPHRASE)).did).toBe(alice.did)
  })

  it('take a passphrase that another keyboard composed', async () => {
    expect((await importIdentity(exported, PASSPHRASE.normalize('NFD'))).did).toBe(alice.did)
  })

  it('open a file that was put together by hand', async () => {
    expect((await importIdentity(await sealedFor(alice.did), PASSPHRASE)).revealSeeds()).toEqual(alice.revealSeeds())
  })

  it('make a file that shows no seed and is another one each time', async () => {
    const again = await exportIdentity(alice, PASSPHRASE)
    expect(again.kdf.saltB64u).not.toBe(exported.kdf.saltB64u)
    expect(again.cipher.nonceB64u).not.toBe(exported.cipher.nonceB64u)
    expect(again.ciphertextB64u).not.toBe(exported.ciphertextB64u)
    const { signing, kem } = alice.revealSeeds()
    expect(JSON.stringify(exported)).not.toContain(encodeBase64url(signing).slice(0, 20))
    expect(JSON.stringify(exported)).not.toContain(encodeBase64url(kem).slice(0, 20))
  })
})

describe('the export of a key that came by a rotation', () => {
  it('gives back where the key belongs, which its seeds do not tell', async () => {
    const successor = await alice.successor()
    const file: unknown = JSON.parse(JSON.stringify(await exportIdentity(successor, PASSPHRASE)))
    expect(file).toMatchObject({ did: alice.did, lineage: { scope: alice.scope, epoch: 1 } })
    const { did, scope, epoch, userId } = await importIdentity(file, PASSPHRASE)
    expect({ did, scope, epoch, userId }).toEqual({
      did: alice.did,
      scope: alice.scope,
      epoch: 1,
      userId: successor.userId,
    })
    expect(exported).not.toHaveProperty('lineage')
  })

  it('is not opened as another identity’s, of another epoch or without its lineage', async () => {
    const file = await exportIdentity(await alice.successor(), PASSPHRASE)
    for (const lineage of [
      { scope: bob.scope, epoch: 1 },
      { scope: alice.scope, epoch: 2 },
    ]) {
      await expect(importIdentity({ ...file, lineage }, PASSPHRASE)).rejects.toThrow(WRONG)
    }
    const { lineage: _, ...bare } = file
    await expect(importIdentity(bare, PASSPHRASE)).rejects.toThrow(WRONG)
    await expect(opened({ lineage: { scope: alice.scope, epoch: 1 } })).rejects.toThrow(WRONG)
  })
})

describe('importIdentity refuses', () => {
  it.each(['', 'correct horse battery staple e', ` ${PASSPHRASE}`, PASSPHRASE.toUpperCase()])(
    'the passphrase %j',
    async (passphrase) => {
      await expect(importIdentity(exported, passphrase)).rejects.toThrow(WRONG)
    },
  )

  it('another DID on the file', async () => {
    await expect(opened({ did: bob.did })).rejects.toThrow(WRONG)
  })

  it('a file that was sealed with the DID of another identity', async () => {
    await expect(importIdentity(await sealedFor(bob.did), PASSPHRASE)).rejects.toThrow(
      'importIdentity: the DID in the file does not match its keys',
    )
  })

  it('another salt', async () => {
    await expect(opened({ kdf: { ...exported.kdf, saltB64u: flipped(exported.kdf.saltB64u) } })).rejects.toThrow(WRONG)
  })

  it('another nonce', async () => {
    const cipher = { ...exported.cipher, nonceB64u: flipped(exported.cipher.nonceB64u) }
    await expect(opened({ cipher })).rejects.toThrow(WRONG)
  })

  it('a changed ciphertext', async () => {
    await expect(opened({ ciphertextB64u: flipped(exported.ciphertextB64u) })).rejects.toThrow(WRONG)
  })

  it.each<[string, unknown]>([
    ['format', { format: 'svc/identity-export/v2' }],
    ['did', { did: 'did:web:example.com' }],
    ['kdf', { kdf: { ...exported.kdf, N: 2 ** 20 } }],
    ['kdf', { kdf: { ...exported.kdf, N: 2 } }],
    ['kdf', { kdf: { ...exported.kdf, r: 1024 } }],
    ['kdf', { kdf: { ...exported.kdf, p: 16 } }],
    ['kdf', { kdf: { ...exported.kdf, name: 'pbkdf2' } }],
    ['kdf', { kdf: { ...exported.kdf, saltB64u: '' } }],
    ['kdf', { kdf: { ...exported.kdf, pepper: 'x' } }],
    ['cipher', { cipher: { ...exported.cipher, name: 'none' } }],
    ['cipher', { cipher: { ...exported.cipher, nonceB64u: '' } }],
    ['ciphertextB64u', { ciphertextB64u: exported.ciphertextB64u.slice(4) }],
    ['ciphertextB64u', { ciphertextB64u: undefined }],
    ['an extra member', { note: 'x' }],
  ])('refuses anything but an export of this format, at once: %s %j', async (_, members) => {
    await expect(importIdentity({ ...exported, ...(members as object) }, PASSPHRASE)).rejects.toMatchObject({
      name: 'ZodError',
    })
  })

  it.each([null, undefined, 'text', [], 5])('%j', async (file) => {
    await expect(importIdentity(file, PASSPHRASE)).rejects.toMatchObject({ name: 'ZodError' })
  })
})
