import { Identity, type KeptRecovery } from '@svc/client'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { connectAsRoot } from '../keys/connect.ts'
import { words } from '../words/recovery/words.ts'
import { sheetIn } from './written-key.ts'

/**
 * What takes the place of a recovery file that is lost: a request that the words sign alone. Throws a `SaidError` if the
 * identity does not name their key.
 */
export async function fileByWords(core: string, did: string, text: string): Promise<KeptRecovery> {
  const sheet = await sheetIn(text)
  if (!sheet) throw new SaidError(words.needsFile)
  // Reads what is public, with a key that core never sees.
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
