import { RecordFault } from './record-fault.ts'
import { authenticatedOf, fileOf, headerOf, IV_BYTES, parseFile } from './record-form.ts'
import type { RecordKeys } from './record-keys.ts'

/** What a file is sealed as, and where. */
export interface Sealing {
  readonly magic: string
  readonly version: number
  readonly keys: RecordKeys
  /** In the bucket. */
  readonly key: string
  /** What the AES key is derived for. */
  readonly purpose: string
}

/** Under the newest seed. */
export async function seal({ magic, version, keys, key, purpose }: Sealing, plain: Uint8Array<ArrayBuffer>) {
  const { id, key: aes } = await keys.newestOf(purpose)
  const header = headerOf(id, magic, version)
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const algorithm = { name: 'AES-GCM', iv, additionalData: authenticatedOf(header, key) }
  const cipher = new Uint8Array(await crypto.subtle.encrypt(algorithm, aes, plain))
  return fileOf({ header, iv, cipher })
}

/** Rejects with a `RecordFault` that begins with `what`. */
export async function openSealed(
  { magic, version, keys, key, purpose }: Sealing,
  bytes: Uint8Array,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const { header, keyId, iv, cipher } = parseFile(bytes, { what, magic, version })
  const aes = await keys.of(keyId, purpose, what)
  const algorithm = { name: 'AES-GCM', iv: iv.slice(), additionalData: authenticatedOf(header, key) }
  const plain = await crypto.subtle.decrypt(algorithm, aes, cipher.slice()).catch(() => null)
  if (!plain) throw new RecordFault(`${what} cannot be decrypted: it was changed, or belongs elsewhere`)
  return new Uint8Array(plain)
}
