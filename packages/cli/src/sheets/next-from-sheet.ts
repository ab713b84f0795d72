import type { Commitment, Identity } from '#client'
import type { KeySet } from '#client/backup'
import type { SheetRecord } from '#client/recovery-words'
import type { Context } from '../context.ts'
import { flag, type Given, option } from '../result.ts'
import { refuseMissing, withTypedSheet } from './named-sheets.ts'
import { shown } from './new-sheets.ts'
import { recordOfTyped, typedSheet } from './typed-sheet.ts'

export const NO_COMMITMENT = { next: [], replaceable: false }

interface SheetsOfRoot {
  readonly root: Identity
  /** What the root key commits to. */
  readonly commitment: Commitment
  /** Records of the sheets that this machine knows. */
  readonly records: readonly SheetRecord[]
}

/** The new root key of a rotation, its commitment, and the records of the sheets that it commits to. */
interface Following {
  readonly successor: Identity
  readonly commitment: { next: string[]; replaceable: boolean }
  readonly sheets: KeySet['sheets']
}

/**
 * Returns the key of a sheet, from its words. The other sheets keep working if they are recorded on this machine; with
 * `--new-sheet`, a new one replaces them. Throws if the rotation would end a sheet that this machine does not know.
 */
export async function fromSheet(
  context: Context,
  given: Given,
  { root, records, commitment: current }: SheetsOfRoot,
): Promise<Following> {
  const { commitmentOf, recordedSheet } = await import('#client/recovery-words')
  const { scope, epoch } = root
  const sheet = await typedSheet(context, option(given, 'words'))
  const successor = await sheet.successor({ scope, epoch: epoch + 1 })
  const own = await recordOfTyped(context, sheet, root)
  const known = await withTypedSheet(records, own, { epoch, commitment: current })
  const isReplaced = flag(given, 'newSheet')
  if (!isReplaced) refuseMissing(known, ', or --new-sheet to replace a lost one')
  const following = { scope, epoch: epoch + 2 }
  const sheets = isReplaced ? [own, await newRecord(context, following)] : known.records
  const { replaceable } = current
  return { successor, sheets, commitment: await commitmentOf(sheets.map(recordedSheet), following, { replaceable }) }
}

async function newRecord(context: Context, key: { readonly scope: string; readonly epoch: number }) {
  const { recordOfSheet } = await import('#client/recovery-words')
  const { sheet, confirmedAt } = await shown(context, 'new')
  return recordOfSheet(sheet, key, { confirmedAt })
}
