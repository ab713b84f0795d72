/**
 * Encryption of a vault. Every AES key is derived for one purpose and one context, by HKDF with SHA3-384 and the context
 * as `info`; the same context is the additional data. A key that encrypts once uses the zero nonce.
 *
 * @module
 */
import { mlKem768 } from '#pqc'
import { hkdfSha3_384 } from '#pqc/sha3'
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { jcsBytes } from '#protocol/base/jcs'
import { kemKeyId } from '#protocol/base/key-agreement'
import type { VaultWrap } from '#protocol/keys/epoch-vault'

const KEY_BYTES = 32
const NO_SALT = /* @__PURE__ */ new Uint8Array()
const ZERO_NONCE = /* @__PURE__ */ new Uint8Array(12)

/** What a key belongs to. */
export interface KeyPlace {
  readonly realm: string
  readonly epoch: number
  readonly generation: number
}

/** What a note is bound to besides its key. */
export interface NotePlace extends KeyPlace {
  readonly noteId: string
  readonly author: string
  readonly version: number
}

/** An identity that can decapsulate: the current one, or one with an earlier key. */
export interface KeyHolder {
  readonly kemPublicKeyB64u: string
  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array>
}

type Context = Readonly<Record<string, string | number>>

/** Wraps the key of a generation for one member. */
export async function wrapFor(
  key: Uint8Array,
  did: string,
  kemPublicKeyB64u: string,
  place: KeyPlace,
): Promise<VaultWrap> {
  const { ciphertext, sharedSecret } = await mlKem768.encapsulate(bytesOf(kemPublicKeyB64u))
  const named = { did, kemKeyId: kemKeyId(kemPublicKeyB64u) }
  const wrapped = await seal(key, sharedSecret, ZERO_NONCE, wrapContext(place, named))
  return { ...named, kemCiphertextB64u: encodeBase64url(ciphertext), wrappedB64u: encodeBase64url(wrapped) }
}

/** The key in a wrap; null if none of the holders can open it. */
export async function openWrap(
  { did, kemKeyId: id, kemCiphertextB64u, wrappedB64u }: VaultWrap,
  holders: readonly KeyHolder[],
  place: KeyPlace,
): Promise<Uint8Array | null> {
  const holder = holders.find(({ kemPublicKeyB64u }) => kemKeyId(kemPublicKeyB64u) === id)
  if (!holder) return null
  const secret = await holder.decapsulate(bytesOf(kemCiphertextB64u))
  return open(bytesOf(wrappedB64u), secret, ZERO_NONCE, wrapContext(place, { did, kemKeyId: id }))
}

/** Encrypts the key before under the key of this generation, so that later members can read earlier notes. */
export async function sealEarlier(earlier: Uint8Array, key: Uint8Array, place: KeyPlace): Promise<string> {
  return encodeBase64url(
    await seal(earlier, key, ZERO_NONCE, { type: 'svc/epoch-vault-earlier/v1', ...placeOf(place) }),
  )
}

export function openEarlier(sealedB64u: string, key: Uint8Array, place: KeyPlace): Promise<Uint8Array | null> {
  return open(bytesOf(sealedB64u), key, ZERO_NONCE, { type: 'svc/epoch-vault-earlier/v1', ...placeOf(place) })
}

export async function sealNote(
  content: Uint8Array,
  key: Uint8Array,
  place: NotePlace,
): Promise<{ readonly nonceB64u: string; readonly ciphertextB64u: string }> {
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const sealed = await seal(content, key, nonce, noteContext(place))
  return { nonceB64u: encodeBase64url(nonce), ciphertextB64u: encodeBase64url(sealed) }
}

export function openNote(
  { nonceB64u, ciphertextB64u }: { readonly nonceB64u: string; readonly ciphertextB64u: string },
  key: Uint8Array,
  place: NotePlace,
): Promise<Uint8Array | null> {
  return open(bytesOf(ciphertextB64u), key, bytesOf(nonceB64u), noteContext(place))
}

function placeOf({ realm, epoch, generation }: KeyPlace): Context {
  return { realm, epoch, generation }
}

function wrapContext(place: KeyPlace, named: { readonly did: string; readonly kemKeyId: string }): Context {
  return { type: 'svc/epoch-vault-wrap/v1', ...placeOf(place), ...named }
}

function noteContext({ noteId, author, version, ...place }: NotePlace): Context {
  return { type: 'svc/epoch-vault-note/v1', ...placeOf(place), noteId, author, version }
}

async function seal(plain: Uint8Array, secret: Uint8Array, nonce: Uint8Array, context: Context): Promise<Uint8Array> {
  const key = await keyOf(secret, context, 'encrypt')
  return new Uint8Array(await crypto.subtle.encrypt(parameters(nonce, context), key, new Uint8Array(plain)))
}

/** Null if anything differs: the key, the context, or a bit of the ciphertext. */
async function open(
  sealed: Uint8Array,
  secret: Uint8Array,
  nonce: Uint8Array,
  context: Context,
): Promise<Uint8Array | null> {
  const key = await keyOf(secret, context, 'decrypt')
  const opened = await crypto.subtle.decrypt(parameters(nonce, context), key, new Uint8Array(sealed)).catch(() => null)
  return opened && new Uint8Array(opened)
}

function keyOf(secret: Uint8Array, context: Context, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  const raw = hkdfSha3_384(secret, NO_SALT, jcsBytes(context), KEY_BYTES)
  return crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, [use])
}

function parameters(nonce: Uint8Array, context: Context) {
  return { name: 'AES-GCM', iv: new Uint8Array(nonce), additionalData: new Uint8Array(jcsBytes(context)) }
}
