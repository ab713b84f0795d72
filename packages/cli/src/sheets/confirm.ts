import type { Context } from '../context.ts'
import type { Given, Result } from '../result.ts'
import { withTypedSheet } from './named-sheets.ts'
import { rootNow } from './root-now.ts'
import { recordOfTyped, typedSheet } from './typed-sheet.ts'

/** Checks the words of a sheet against the commitment of the identity, and records that the owner has them. */
export async function confirm(context: Context, given: Given): Promise<Result> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const { scope, epoch, commitment } = await rootNow(context, did, keys)
  const sheet = await typedSheet(context, given.args[0])
  const record = await recordOfTyped(context, sheet, { scope, epoch })
  const { records: sheets } = await withTypedSheet(keys.sheets, record, { epoch, commitment })
  const at = sheets.indexOf(record)
  if (!context.options.dryRun) await context.keys.write(did, { ...keys, sheets }, passphrase)
  return {
    data: { did, sheet: at + 1, confirmedAt: record.confirmedAt },
    text: `These are the words of sheet ${at + 1}.`,
  }
}
