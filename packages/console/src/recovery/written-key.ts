import type { Identity, KeptRecovery } from '@svc/client'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { jsonIn } from '../files/given-file.ts'
import { words } from '../words/recovery/words.ts'

/** More than any of them has. */
const MAX_FILE_BYTES = 100_000

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
export async function readWrittenKey(text: string, kept: KeptRecovery): Promise<Identity> {
  const identityOfSheet = await chunk(() =>
    import('@svc/client/recovery-words').then(({ identityOfSheet: loaded }) => loaded),
  )
  const identity = await identityOfSheet(text, kept).catch((error: unknown) => {
    throw error instanceof Error && error.name === 'RecoveryWordsError' ? new SaidError(faultOf(error)) : error
  })
  const keptKeys = await chunk(() => import('@svc/client/functions').then(({ keptKeys: loaded }) => loaded))
  if (!keptKeys(kept).includes(identity.publicKeyB64u)) throw new SaidError(words.otherKey)
  return identity
}

function faultOf(error: Error): string {
  const { position, reason } = error as Error & { readonly position: number | null; readonly reason: string }
  if (reason === 'wrong_count') return words.wrongCount
  return position === null ? words.wrongWords : words.unknownWord(position)
}
