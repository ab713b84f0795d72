import type { Identity, KeptRecovery } from '#client'
import type { SuccessorSheet } from '#client/recovery-words'
import { locked, usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { sheetOf } from '../sheets/typed-sheet.ts'

/** The key that a recovery leads to. */
interface RecoveryKey {
  readonly successor: Identity
  /** The sheet that the key was made from; null for a recovery key. */
  readonly sheet: SuccessorSheet | null
}

/** A file with a recovery key, and its text. */
interface WrittenKey {
  readonly file: string
  readonly text: string
}

/** The recovery key in a file: encrypted, or the words or the code that are on paper. */
export async function recoveryKeyIn(
  context: Context,
  { file, text }: WrittenKey,
  kept: KeptRecovery,
): Promise<RecoveryKey> {
  const key = isEncrypted(text)
    ? { successor: await encryptedKeyIn(context, file, text), sheet: null }
    : await written(text, kept)
  const { keptKeys } = await import('#client/functions')
  if (keptKeys(kept).includes(key.successor.publicKeyB64u)) return key
  throw missingIn(file)
}

export function isEncrypted(text: string): boolean {
  return text.trimStart().startsWith('{')
}

/** The key in a file of svc recovery prepare, whose text is given. */
export async function encryptedKeyIn(context: Context, file: string, text: string): Promise<Identity> {
  const { importKeys } = await import('#client/backup')
  const { identity } = await importKeys(jsonOf(text), await context.passphrases.existing(file))
  if (identity) return identity
  throw missingIn(file)
}

const missingIn = (file: string) =>
  locked(
    'key_missing',
    `${file} does not have the recovery key`,
    'pass the file that svc recovery prepare or the console wrote, or the words of a sheet of this identity',
  )

async function written(text: string, kept: KeptRecovery): Promise<RecoveryKey> {
  const { identityOfPrintedKey } = await import('#client/recovery-words')
  if (isForSheets(kept)) {
    const sheet = await sheetOf(text)
    return { successor: await sheet.successor({ scope: kept.scope, epoch: kept.epoch }), sheet }
  }
  const successor = await identityOfPrintedKey(text, kept).catch((error: unknown) => {
    // Its message has no word of the key.
    if (error instanceof Error && error.name === 'RecoveryWordsError')
      throw usage(error.message, 'compare it with the paper, word by word')
    throw error
  })
  return { successor, sheet: null }
}

/** Whether the requests are for sheets: those for a key that was written down have the signatures of both keys. */
export function isForSheets({ requests }: KeptRecovery): boolean {
  return requests.some(({ signatureB64u, newKeySignatureB64u }) => !signatureB64u || !newKeySignatureB64u)
}

/** The requests that were signed in advance: in a file of the console, or among the keys here. */
export async function requestsIn(context: Context, file: string): Promise<KeptRecovery> {
  const { keptRecoverySchema } = await import('#client/functions')
  const { data } = keptRecoverySchema.safeParse(await context.readJson(file))
  if (data) return data
  throw usage(`${file} has no requests of a recovery`, 'pass the recovery file that the console saved')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
