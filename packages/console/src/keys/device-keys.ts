/**
 * The keys of this browser as a device. Where the browser has them in WebCrypto, they cannot be extracted, by this page
 * or by anything that takes it over, and need no unlocking. Elsewhere they are encrypted with a passkey or a passphrase.
 *
 * @module
 */
import { Device, type DeviceMembership } from '@svc/client'
import { IndexedDbKeys, IndexedDbStore } from '@svc/client/browser'
import {
  generateWebCryptoKeys,
  supportsWebCryptoKeys,
  type WebCryptoKeys,
  webCryptoKeyAgreement,
  webCryptoSigner,
} from '@svc/client/signers'
import { SaidError } from '../failures/sentences.ts'
import { words } from '../words/failures/words.ts'
import { forgetDeviceNames } from './device-names.ts'
import { canKeepKeys, DEVICE_STORE, SEALED_DEVICE_STORE } from './kept-device.ts'
import type { Lock } from './lock.ts'

/** What the console’s pages do with a device’s key. The root key is not needed for any of it. */
export const CONSOLE_CAPABILITIES = [
  'account:read',
  'anchors:read',
  'anchors:submit',
  'assets:read',
  'chain:append',
  'chain:read',
  'consent:write',
  'directory:read',
  'inbox:delete',
  'inbox:read',
  'notes:delete',
  'notes:read',
  'notes:write',
  'org:read',
  'payments:write',
  'provenance:write',
  'quota:read',
  'rotation:cosign',
] as const

interface Kept {
  readonly keys: WebCryptoKeys
  readonly membership: DeviceMembership
}

const PAIRS = 'device'
/** While the page is open, so that a person unlocks once. */
let opened: Device | null = null
const store = () => new IndexedDbStore(DEVICE_STORE)
const sealed = () => new IndexedDbKeys(SEALED_DEVICE_STORE)
const options = () => ({ origin: location.origin, capabilities: CONSOLE_CAPABILITIES })

/** A device that has joined nothing yet. */
export interface NewDevice {
  readonly device: Device
  /** Null if the keys have to be encrypted. */
  readonly keys: WebCryptoKeys | null
}

/** Throws if the browser blocks storage: keys that cannot be kept would be lost with the page. */
export async function checkStorage(): Promise<void> {
  if (!(await canKeepKeys())) throw new SaidError(words.storageBlocked)
}

export async function newDevice(): Promise<NewDevice> {
  // Before anything is created or sent.
  await checkStorage()
  const keys = supportsWebCryptoKeys() ? await generateWebCryptoKeys() : null
  if (keys && canBeStored(keys)) return { device: await deviceOf(keys, null), keys }
  return { device: await Device.create(options()), keys: null }
}

/** Browsers support algorithms whose keys they cannot store yet: the structured clone of such a key is null. */
function canBeStored({ signing, kem }: WebCryptoKeys): boolean {
  return [signing, kem.mlKem, kem.x25519].every(({ privateKey }) => structuredClone(privateKey) instanceof CryptoKey)
}

/** Keeps a device that is a member of an identity. */
export async function keepDevice({ keys }: NewDevice, member: Device, lock: Lock | null): Promise<void> {
  if (member.membership === null) throw new TypeError('The device has joined no identity')
  if (keys) await store().set(PAIRS, { keys, membership: member.membership } satisfies Kept)
  else if (lock) await sealed().save({ devices: [member] }, lock)
  else throw new TypeError('These keys need a passkey or a passphrase')
  opened = member
}

export type FoundDevice =
  | { readonly state: 'none' }
  | { readonly state: 'locked'; readonly by: NonNullable<Awaited<ReturnType<IndexedDbKeys['lockedBy']>>> }
  | { readonly state: 'open'; readonly device: Device }

export async function findDevice(): Promise<FoundDevice> {
  if (opened) return { state: 'open', device: opened }
  const kept = (await store().get(PAIRS)) as Kept | undefined
  if (kept) return { state: 'open', device: await deviceOf(kept.keys, kept.membership) }
  const by = await sealed().lockedBy()
  return by === null ? { state: 'none' } : { state: 'locked', by }
}

export async function unlockDevice(lock: Lock): Promise<Device> {
  const device = (await sealed().load(lock))?.devices[0]
  if (!device) throw new TypeError('There is no device here')
  opened = device
  return device
}

export async function forgetDevice(): Promise<void> {
  opened = null
  forgetDeviceNames()
  await store().delete(PAIRS)
  await sealed().delete()
}

async function deviceOf({ signing, kem }: WebCryptoKeys, membership: DeviceMembership | null): Promise<Device> {
  const [signer, keyAgreement] = await Promise.all([webCryptoSigner(signing), webCryptoKeyAgreement(kem)])
  return Device.fromSigner(signer, { ...options(), keyAgreement, membership })
}
