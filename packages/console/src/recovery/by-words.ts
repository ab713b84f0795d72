import { type Client, Identity, type KeptRecovery } from '@svc/client'
import type { SheetRecord, SuccessorSheet } from '@svc/client/recovery-words'
import { chunk } from '../failures/chunk.ts'
import { SaidError } from '../failures/sentences.ts'
import { connectAsRoot } from '../keys/connect.ts'
import type { KnownSheets } from '../sheets/known-sheets.ts'
import { words } from '../words/recovery/words.ts'
import { sheetIn } from './written-key.ts'

/** A sheet of an identity whose owner has no recovery file. */
export interface ByWords {
  /** The key of the sheet that can follow. */
  readonly successor: Identity
  /** The sheets that can follow the current root key, this one included. */
  readonly known: KnownSheets
}

/** What is used of a client. */
interface Reader {
  readonly chain: Pick<Client['chain'], 'root' | 'readGenesis'>
}

/** Returns a client that reads public data. Core never sees its temporary key. */
export async function readerOf(core: string): Promise<Client> {
  return connectAsRoot(core, { identity: await Identity.create(), former: [] })
}

/**
 * Returns the key of a sheet, and the sheets of its identity: those that this browser knows, and those whose words were
 * entered as well. Throws a `SaidError` if the identity does not commit to the key.
 */
export async function findByWords(
  reader: Reader,
  did: string,
  { text, others = [] }: { readonly text: string; readonly others?: readonly SuccessorSheet[] },
): Promise<ByWords> {
  const sheet = await sheetIn(text)
  if (!sheet) throw new SaidError(words.needsFile)
  const [{ epoch, commitment }, { scope }] = await Promise.all([reader.chain.root(did), reader.chain.readGenesis(did)])
  const [{ commitmentOf }, { knownSheets }] = await Promise.all([
    chunk(() => import('@svc/client/recovery-words')),
    chunk(() => import('../sheets/known-sheets.ts')),
  ])
  const key = { scope, epoch: epoch + 1 }
  const { next } = await commitmentOf([sheet], key)
  if (!next.every((hash) => commitment.next.includes(hash))) throw new SaidError(words.otherIdentity)
  const known = await knownSheets(reader, { did, scope, epoch }, [sheet, ...others])
  return { successor: await sheet.successor(key), known }
}

/**
 * Creates the replacement of a lost recovery file: a request that only the words sign. It commits to these sheets, so any
 * other sheet ends with it.
 */
export async function fileByWords(
  { realm }: { readonly realm: string },
  { successor, known: { replaceable } }: ByWords,
  records: readonly SheetRecord[],
): Promise<KeptRecovery> {
  const { recordedSheet, recoveryByWords } = await chunk(() => import('@svc/client/recovery-words'))
  return recoveryByWords(successor, { realm, sheets: records.map(recordedSheet), replaceable })
}
