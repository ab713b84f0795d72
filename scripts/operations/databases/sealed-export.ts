/**
 * Exports are encrypted for age keys: who makes them, such as a workflow that runs every hour, can read none of them. With
 * a key that is derived from a seed, the seed of all records would have to be where exports are made.
 *
 * @module
 */
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { SetupError } from '@svc/platform/workspace'
import { Decrypter, Encrypter, generateHybridIdentity, identityToRecipient } from 'age-encryption'

/** ML-KEM-768 and X25519: what is copied now must be secret in thirty years. */
const POST_QUANTUM = /^age1pq1[a-z0-9]{1900,2100}$/

export function isRecipient(recipient: unknown): recipient is string {
  return typeof recipient === 'string' && POST_QUANTUM.test(recipient)
}

/** A key file of age, as `age-keygen -pq` writes it, and the recipient that goes into the file of the environment. */
export async function newKey(): Promise<{ readonly file: string; readonly recipient: string }> {
  const secret = await generateHybridIdentity()
  const recipient = await identityToRecipient(secret)
  return { file: `# public key: ${recipient}\n${secret}\n`, recipient }
}

/** Compressed, then encrypted for each of the recipients. */
export async function seal(sql: string, recipients: readonly string[]): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return encrypter.encrypt(await promisify(gzip)(sql))
}

/** `keyFile` is the content of a key file of age: lines with `AGE-SECRET-KEY-PQ-1…` and comments. */
export async function unseal(sealed: Uint8Array, keyFile: string): Promise<string> {
  const secrets = keyFile.split('\n').flatMap((line) => (line.startsWith('AGE-SECRET-KEY-PQ-1') ? [line.trim()] : []))
  if (secrets.length === 0) throw new SetupError('The file of --identity has no post-quantum key of age.')
  const decrypter = new Decrypter()
  try {
    for (const secret of secrets) decrypter.addIdentity(secret)
    return (await promisify(gunzip)(await decrypter.decrypt(sealed))).toString()
  } catch {
    // The reason could quote the key.
    throw new SetupError('The key does not open this export: pass one that it was made for.')
  }
}
