/**
 * An identity as a file: its seeds encrypted with a passphrase. scrypt (RFC 7914) derives the key, AES-256-GCM encrypts
 * the seeds, and the rest of the file is authenticated with them.
 *
 * @module
 */
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { base64urlOf, bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { didSchema, scopeSchema } from '@svc/protocol/base/identity'
import { jcsBytes } from '@svc/protocol/base/jcs'
import * as z from 'zod'
import { Identity } from './identity.ts'

/** 64 MiB of memory per guess; 0.5 to 1 s in Node, several seconds in workerd. */
const COST = { N: 2 ** 16, r: 8, p: 1 }
const SEED_BYTES = 32 + 64
const TAG_BYTES = 16

/** The format fixes the cost, so a hostile file cannot ask for more memory. */
export const exportedIdentitySchema = z.strictObject({
  format: z.literal('svc/identity-export/v1'),
  did: didSchema,
  /** Only for a key from a rotation, from which the DID cannot be derived. */
  lineage: z.strictObject({ scope: scopeSchema, epoch: z.int().min(1) }).optional(),
  kdf: z.strictObject({
    name: z.literal('scrypt'),
    N: z.literal(COST.N),
    r: z.literal(COST.r),
    p: z.literal(COST.p),
    saltB64u: base64urlOf(16),
  }),
  cipher: z.strictObject({ name: z.literal('aes-256-gcm'), nonceB64u: base64urlOf(12) }),
  ciphertextB64u: base64urlOf(SEED_BYTES + TAG_BYTES),
})
export type ExportedIdentity = z.infer<typeof exportedIdentitySchema>

async function keyOf(passphrase: string, salt: Uint8Array) {
  // NFKC, so that the same passphrase typed on two keyboards is the same.
  const password = new TextEncoder().encode(passphrase.normalize('NFKC'))
  const raw = await scryptAsync(password, salt, { ...COST, dkLen: 32 })
  return crypto.subtle.importKey('raw', owned(raw), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

/** WebCrypto accepts only bytes of an ArrayBuffer, never of a shared one. */
function owned(bytes: Uint8Array) {
  return new Uint8Array(bytes)
}

/** Encrypts the secrets of an identity with a passphrase. The result is plain JSON and safe to store. */
export async function exportIdentity(identity: Identity, passphrase: string): Promise<ExportedIdentity> {
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const open = {
    format: 'svc/identity-export/v1' as const,
    did: identity.did,
    ...(identity.epoch > 0 ? { lineage: { scope: identity.scope, epoch: identity.epoch } } : {}),
    kdf: { name: 'scrypt' as const, ...COST, saltB64u: encodeBase64url(salt) },
    cipher: { name: 'aes-256-gcm' as const, nonceB64u: encodeBase64url(nonce) },
  }
  const { signing, kem } = identity.revealSeeds()
  const secret = new Uint8Array([...signing, ...kem])
  const key = await keyOf(passphrase, salt)
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv: nonce, additionalData: owned(jcsBytes(open)) },
    key,
    secret,
  )
  return { ...open, ciphertextB64u: encodeBase64url(new Uint8Array(sealed)) }
}

/**
 * Decrypts an exported identity. Throws a ZodError if the input is not one, and an Error for a wrong passphrase or a
 * modified file, which cannot be told apart.
 */
export async function importIdentity(exported: unknown, passphrase: string): Promise<Identity> {
  const { ciphertextB64u, ...open } = exportedIdentitySchema.parse(exported)
  const key = await keyOf(passphrase, bytesOf(open.kdf.saltB64u))
  const secret = await crypto.subtle
    .decrypt(
      { name: 'AES-GCM', iv: owned(bytesOf(open.cipher.nonceB64u)), additionalData: owned(jcsBytes(open)) },
      key,
      owned(bytesOf(ciphertextB64u)),
    )
    .catch(() => {
      throw new Error('importIdentity: wrong passphrase, or the file was modified')
    })
  const seeds = new Uint8Array(secret)
  const identity = await Identity.fromSeeds({ signing: seeds.subarray(0, 32), kem: seeds.subarray(32) }, open.lineage)
  if (identity.did !== open.did) throw new Error('importIdentity: the DID in the file does not match its keys')
  return identity
}
