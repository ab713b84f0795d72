import type { Commitment, Identity } from '#client'
import type { KeySet } from '#client/backup'
import type { SheetRecord } from '#client/recovery-words'
import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { flag, type Given, option } from '../result.ts'
import { shown } from './new-sheets.ts'
import { typedSheet } from './typed-sheet.ts'

export const NO_COMMITMENT = { next: [], replaceable: false }

interface SheetsOfRoot {
  readonly root: Identity
  /** Records of the sheets that this machine knows. */
  readonly records: readonly SheetRecord[]
  /** Commitment of the root key. */
  readonly commitment: Commitment
}

/** The new root key of a rotation, its commitment, and the records of the sheets that it commits to. */
interface Following {
  readonly successor: Identity
  readonly commitment: Commitment
  readonly sheets: KeySet['sheets']
}

/**
 * Returns the key of a sheet, from its words. The other sheets keep working if they are recorded on this machine; with
 * `--new-sheet`, a new one replaces them. Throws if the rotation would end a sheet that this machine does not know.
 */
export async function fromSheet(
  context: Context,
  given: Given,
  { root, records, commitment: { next, replaceable } }: SheetsOfRoot,
): Promise<Following> {
  const { commitmentOf, recordedSheet, recordOfSheet } = await import('#client/recovery-words')
  const { scope } = root
  const sheet = await typedSheet(context, option(given, 'words'))
  const successor = await sheet.successor({ scope, epoch: root.epoch + 1 })
  const following = { scope, epoch: root.epoch + 2 }
  const own = await recordOfSheet(sheet, following, { confirmedAt: context.environment.now() })
  const others = flag(given, 'newSheet')
    ? [await newRecord(context, following)]
    : records.filter(({ kemPublicKeyB64u }) => kemPublicKeyB64u !== own.kemPublicKeyB64u)
  const sheets = [own, ...others]
  if (sheets.length < next.length)
    throw usage(
      `The identity commits to ${next.length} sheets, but this machine knows only ${sheets.length}: the rotation would end the rest`,
      'svc recovery confirm, for each sheet, or --new-sheet to replace a lost one',
    )
  return { successor, sheets, commitment: await commitmentOf(sheets.map(recordedSheet), following, { replaceable }) }
}

async function newRecord(context: Context, key: { readonly scope: string; readonly epoch: number }) {
  const { recordOfSheet } = await import('#client/recovery-words')
  const { sheet, confirmedAt } = await shown(context, 'new')
  return recordOfSheet(sheet, key, { confirmedAt })
}
