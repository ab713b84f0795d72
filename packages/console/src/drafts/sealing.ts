/**
 * Drafts are encrypted to the keys of this device, as notes are: AES-256-GCM under a key that is derived for the place of
 * the draft. Who cannot read the notes here cannot read the drafts.
 *
 * @module
 */
import type { Device } from '@svc/client'
import { newKeyFor } from '@svc/client/functions'
import { textOf } from '@svc/client/text'

export type DraftDevice = Pick<Device, 'did' | 'deviceId' | 'kemPublicKeyB64u' | 'x25519B64u' | 'unwrap'>

export interface SealedDraft {
  readonly kem: Uint8Array
  readonly nonce: Uint8Array
  readonly sealed: Uint8Array
}

export async function sealDraft(device: DraftDevice, place: string, draft: unknown): Promise<SealedDraft> {
  const { key: raw, ciphertext } = await newKeyFor(device, purposeOf(device, place))
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const key = await importKey(raw, 'encrypt')
  const text = new TextEncoder().encode(JSON.stringify(draft))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, key, text)
  return { kem: ciphertext, nonce, sealed: new Uint8Array(sealed) }
}

/** Throws if it was encrypted for another device or place, or was modified. */
export async function openDraft(device: DraftDevice, place: string, draft: SealedDraft): Promise<unknown> {
  const { kem, nonce, sealed } = draft
  const key = await importKey(await device.unwrap(kem, purposeOf(device, place)), 'decrypt')
  const iv = new Uint8Array(nonce)
  const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, new Uint8Array(sealed))
  return JSON.parse(textOf(new Uint8Array(text)))
}

function purposeOf({ did, deviceId }: DraftDevice, place: string) {
  return { label: 'svc/console-draft/v1', info: new TextEncoder().encode(JSON.stringify([did, deviceId, place])) }
}

function importKey(raw: Uint8Array, use: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, [use])
}
