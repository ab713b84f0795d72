import type { Identity, KeptRecovery } from '@svc/client'
import type { SuccessorSheet } from '@svc/client/recovery-words'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { jsonIn } from '../files/given-file.ts'
import { words } from '../words/recovery/words.ts'

/** More than any of them has. */
const MAX_FILE_BYTES = 200_000
/** Prefix of the code of a written-down key. A sheet has words only. */
const CODE_OF_KEY = 'svc-recovery:'

/** The key that takes over, and the sheet that it is derived from; null for a key that was written down itself. */
export interface WrittenKey {
  /**
   * The requests for this key alone, signed by it. A recovery file has some for each sheet, and what is pending for another
   * one may be a thief's.
   */
  readonly kept: KeptRecovery
  readonly successor: Identity
  readonly sheet: SuccessorSheet | null
}

/** The requests in a recovery file. */
export async function readRecoveryFile(file: File): Promise<KeptRecovery> {
  const keptRecoverySchema = await chunk(() =>
    import('@svc/client/functions').then(({ keptRecoverySchema: loaded }) => loaded),
  )
  const json = file.size > MAX_FILE_BYTES ? null : await jsonIn(file)
  const { data } = keptRecoverySchema.safeParse(json)
  if (data) return data
  const isBackup = typeof json === 'object' && json !== null && 'ciphertextB64u' in json
  throw new SaidError(isBackup ? words.isBackup : words.notRecoveryFile)
}

/** The key that was written down, from its words or its code. Throws a `SaidError` that says what is wrong. */
export async function readWrittenKey(text: string, kept: KeptRecovery): Promise<WrittenKey> {
  const sheet = text.trim().startsWith(CODE_OF_KEY) ? null : await sheetIn(text)
  const { identityOfPrintedKey } = await tools()
  const { scope, epoch } = kept
  const successor = await (sheet ? sheet.successor({ scope, epoch }) : identityOfPrintedKey(text, kept)).catch(said)
  const { completedRecovery, keptKeys } = await chunk(() =>
    import('@svc/client/functions').then((loaded) => ({
      completedRecovery: loaded.completedRecovery,
      keptKeys: loaded.keptKeys,
    })),
  )
  if (!keptKeys(kept).includes(successor.publicKeyB64u)) throw new SaidError(words.otherKey)
  return { kept: await completedRecovery(kept, successor), successor, sheet }
}

/** Returns the sheet of 24 words; null for the words of a key. Throws a `SaidError` that says what is wrong. */
export async function sheetIn(text: string): Promise<SuccessorSheet | null> {
  const { SuccessorSheet } = await tools()
  try {
    return SuccessorSheet.fromWords(text)
  } catch (error) {
    if (isWordsError(error) && error.reason === 'other_kind') return null
    return said(error)
  }
}

const tools = () => chunk(() => import('@svc/client/recovery-words'))

interface WordsError extends Error {
  readonly position: number | null
  readonly reason: string
}

function isWordsError(error: unknown): error is WordsError {
  return error instanceof Error && error.name === 'RecoveryWordsError'
}

function said(error: unknown): never {
  if (!isWordsError(error)) throw error
  const { position, reason } = error
  if (reason === 'wrong_count') throw new SaidError(words.wrongCount)
  throw new SaidError(position === null ? words.wrongWords : words.unknownWord(position))
}
