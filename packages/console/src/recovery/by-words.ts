import { Identity, type KeptRecovery } from '@svc/client'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { connectAsRoot } from '../keys/connect.ts'
import { words } from '../words/recovery/words.ts'
import { sheetIn } from './written-key.ts'

/**
 * Creates the replacement of a lost recovery file: a request that only the words sign. Throws a `SaidError` if the
 * identity does not commit to their key.
 */
export async function fileByWords(core: string, did: string, text: string): Promise<KeptRecovery> {
  const sheet = await sheetIn(text)
  if (!sheet) throw new SaidError(words.needsFile)
  // Reads only public data. Core never sees the temporary key.
  const reader = await connectAsRoot(core, { identity: await Identity.create(), former: [] })
  const [{ epoch }, { scope }] = await Promise.all([reader.chain.root(did), reader.chain.readGenesis(did)])
  const [{ recoveryByWords }, { knownSheets }] = await Promise.all([
    chunk(() => import('@svc/client/recovery-words')),
    chunk(() => import('../sheets/known-sheets.ts')),
  ])
  if ((await knownSheets(reader, { did, scope, epoch }, [sheet])).records.length === 0)
    throw new SaidError(words.otherIdentity)
  const successor = await sheet.successor({ scope, epoch: epoch + 1 })
  return recoveryByWords(successor, { realm: reader.realm, sheets: [sheet] })
}
