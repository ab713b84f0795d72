/**
 * Keys as a file: an identity, its devices and the requests of a recovery, encrypted with a passphrase or a passkey.
 * AES-256-GCM encrypts them; the rest of the file is authenticated with them.
 *
 * @module
 */
import { bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { jcsBytes } from '#protocol/base/jcs'
import { utf8Of } from '#protocol/base/utf8'
import { checkCall } from '../arguments/check.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { KeyExportError } from './export-error.ts'
import { type ExportedKeys, exportedKeysSchema } from './exported-keys.ts'
import { type KeyLock, keyOf, lockOf, newKdf, newLockOf, owned } from './key-lock.ts'
import { didOfKeys, KEY_SET, type KeySet, type KeySetText, keySetOf, keySetSchema, textOf } from './key-set.ts'

/**
 * Encrypts keys with a passphrase, or with what a passkey gave. The result is plain JSON and safe to store. Throws a
 * `ConfigurationError` if the keys are of two identities, or are kept by a signer, or are more than `importKeys` takes,
 * or if the passphrase is empty.
 */
export async function exportKeys(keys: Partial<KeySet>, lock: KeyLock): Promise<ExportedKeys> {
  checkCall('exportKeys', [keys, lock], [['keys', KEY_SET], 'lock'])
  const { identity = null, former = [], devices = [], recovery = null, sheets = [] } = keys
  const set = { identity, former, devices, recovery, sheets }
  const deriving = newLockOf(lock)
  const nonce = crypto.getRandomValues(new Uint8Array(12))
  const open = {
    format: 'svc/identity-export/v1' as const,
    did: didOfKeys(set),
    kdf: newKdf(deriving),
    cipher: { name: 'aes-256-gcm' as const, nonceB64u: encodeBase64url(nonce) },
  }
  const secret = jcsBytes(openable(textOf(set)))
  const sealed = await crypto.subtle.encrypt(parameters(open), await keyOf(open.kdf, deriving), owned(secret))
  return { ...open, ciphertextB64u: encodeBase64url(new Uint8Array(sealed)) }
}

/** Returns the text if `importKeys` takes it. An export that nobody can open could replace the last one that opens. */
function openable(text: KeySetText): KeySetText {
  const parsed = keySetSchema.safeParse(text)
  if (parsed.success) return text
  const members = new Set(parsed.error.issues.map(({ path }) => String(path[0])))
  throw new ConfigurationError('keys', `An export cannot hold these ${[...members].join(', ')}: there may be too many`)
}

/** Decrypts exported keys. Throws a `KeyExportError` that says why it cannot. */
export async function importKeys(exported: unknown, lock: KeyLock): Promise<KeySet> {
  checkCall('importKeys', [exported, lock], ['exported?', 'lock'])
  const parsed = exportedKeysSchema.safeParse(exported)
  if (!parsed.success) throw new KeyExportError('malformed', 'This is not an export of keys', { cause: parsed.error })
  const { ciphertextB64u, ...open } = parsed.data
  const key = await keyOf(open.kdf, lockOf(lock))
  const secret = await crypto.subtle.decrypt(parameters(open), key, owned(bytesOf(ciphertextB64u))).catch(() => {
    throw new KeyExportError('not_opened', 'The passphrase or passkey is wrong, or the export was modified')
  })
  return keySetOf(readSecret(new Uint8Array(secret)), open.did)
}

type Open = Omit<ExportedKeys, 'ciphertextB64u'>

function parameters(open: Open) {
  return { name: 'AES-GCM', iv: owned(bytesOf(open.cipher.nonceB64u)), additionalData: owned(jcsBytes(open)) }
}

/** Never says what is in it. */
function readSecret(secret: Uint8Array) {
  try {
    return keySetSchema.parse(JSON.parse(utf8Of(secret) ?? ''))
  } catch {
    throw new KeyExportError('malformed', 'The export opens, but does not contain keys of this format')
  }
}
