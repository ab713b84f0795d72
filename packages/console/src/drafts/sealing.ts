/**
 * Drafts are encrypted to the key of this device, as notes are: ML-KEM-768, then AES-256-GCM under a key that is derived
 * from the shared secret and bound to the place of the draft. Who cannot read the notes here cannot read the drafts.
 *
 * @module
 */
import type { Device } from '@svc/client'
import { mlKem768 } from '@svc/client/functions'
import { textOf } from '@svc/client/text'
import { fromBase64url } from '../content/base64url.ts'

export type DraftDevice = Pick<Device, 'did' | 'deviceId' | 'kemPublicKeyB64u' | 'decapsulate'>

export interface SealedDraft {
  readonly kem: Uint8Array
  readonly nonce: Uint8Array
  readonly sealed: Uint8Array
}

export async function sealDraft(device: DraftDevice, place: string, draft: unknown): Promise<SealedDraft> {
  const { ciphertext, sharedSecret } = await mlKem768.encapsulate(fromBase64url(device.kemPublicKeyB64u))
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const key = await keyOf(sharedSecret, ciphertext, device, place)
  const text = new TextEncoder().encode(JSON.stringify(draft))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, key, text)
  return { kem: ciphertext, nonce, sealed: new Uint8Array(sealed) }
}

/** Throws if it was encrypted for another device or place, or was modified. */
export async function openDraft(device: DraftDevice, place: string, draft: SealedDraft): Promise<unknown> {
  const { kem, nonce, sealed } = draft
  const key = await keyOf(await device.decapsulate(kem), kem, device, place)
  const iv = new Uint8Array(nonce)
  const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, new Uint8Array(sealed))
  return JSON.parse(textOf(new Uint8Array(text)))
}

async function keyOf(secret: Uint8Array, kem: Uint8Array, { did, deviceId }: DraftDevice, place: string) {
  const info = new TextEncoder().encode(JSON.stringify(['svc/console-draft/v1', did, deviceId, place]))
  const material = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, ['deriveKey'])
  const derived = { name: 'HKDF', hash: 'SHA-384', salt: new Uint8Array(kem), info }
  const usage: readonly KeyUsage[] = ['encrypt', 'decrypt']
  return crypto.subtle.deriveKey(derived, material, { name: 'AES-GCM', length: 256 }, false, [...usage])
}
