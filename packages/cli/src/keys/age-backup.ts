/**
 * Backups for somebody's age key. What is encrypted is an export under a passphrase of its own together with that
 * passphrase, so that `age -d` alone gives nothing but what `svc id import` takes.
 *
 * @module
 */

import * as z from 'zod'
import { exportedKeysSchema, exportKeys, importKeys, type KeySet } from '#client/backup'
import { invalid, usage } from '../cli-error.ts'
import { generatedPassphrase } from './passphrase.ts'

/** Hybrid ML-KEM-768 and X25519. An age recipient of X25519 alone would be the weakest part of a backup. */
const POST_QUANTUM = /^age1pq1[a-z0-9]{1900,2100}$/

const backupSchema = z.strictObject({
  format: z.literal('svc/age-backup/v1'),
  passphrase: z.string(),
  export: exportedKeysSchema,
})

export function checkRecipient(recipient: string): void {
  if (POST_QUANTUM.test(recipient)) return
  const next = 'make one with age-keygen -pq, and pass its recipient, age1pq1…'
  throw usage('The recipient is not a post-quantum age key', next)
}

export async function sealForAge(keys: KeySet, recipient: string): Promise<string> {
  const { armor, Encrypter } = await import('age-encryption')
  const passphrase = generatedPassphrase()
  const backup = { format: 'svc/age-backup/v1', passphrase, export: await exportKeys(keys, passphrase) }
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return armor.encode(await encrypter.encrypt(JSON.stringify(backup)))
}

/** `identity` is the content of a key file of age: lines with `AGE-SECRET-KEY-PQ-1…` and comments. */
export async function openWithAge(bytes: Uint8Array, identity: string): Promise<KeySet> {
  const { armor, Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  const secrets = identity.split('\n').flatMap((line) => (line.startsWith('AGE-SECRET-KEY-') ? [line.trim()] : []))
  if (secrets.length === 0)
    throw usage('The file of --age-identity has no age key', 'pass the file that age-keygen wrote')
  for (const secret of secrets) decrypter.addIdentity(secret)
  // Latin-1 has a character for every byte, and the armor is ASCII.
  const text = Buffer.from(bytes).toString('latin1')
  const file = text.startsWith('-----BEGIN') ? armor.decode(text) : bytes
  const opened = await decrypter.decrypt(file, 'text').catch(() => {
    throw invalid('not_opened', 'The age key does not open this backup', 'pass the key that the backup was made for')
  })
  const parsed = backupSchema.safeParse(jsonOf(opened))
  if (!parsed.success)
    throw invalid('malformed', 'The file opens, but svc did not write it', 'pass a file that svc id backup wrote')
  return importKeys(parsed.data.export, parsed.data.passphrase)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
